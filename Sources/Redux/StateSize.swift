/// The rough size of a value, found by its mirror.
public enum StateSize {
    /// The bytes of the strings and byte arrays in a value, and 8 for everything else that has no
    /// parts. Stops beyond the limit, so that a large value costs no more than the limit does.
    @Sendable public static func byteCount(of value: some Any, limit: Int) -> Int {
        var count = 0
        var waiting: [Any] = [value]
        while count <= limit, let next = waiting.popLast() {
            switch next {
            case let text as String: count += 1 + text.utf8.count
            case let bytes as [UInt8]: count += 1 + bytes.count
            default:
                let children = Mirror(reflecting: next).children
                count += children.isEmpty ? 8 : 1
                guard children.count <= limit - count else { return count + children.count }
                for child in children { waiting.append(child.value) }
            }
        }
        return count
    }
}
