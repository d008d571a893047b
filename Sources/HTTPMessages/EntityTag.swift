/// Entity tags and the conditions on them (RFC 9110 §§8.8.3, 13.1).
public enum EntityTag {
    /// What a list of tags in If-Match or If-None-Match says.
    public enum Condition: Sendable, Hashable {
        /// `*`, or a tag of the list, is the current one.
        case matches
        /// None is.
        case differs
        /// The field is not of the form `"a", W/"b"` or `*`.
        case malformed
    }

    /// Compares the lists of a field with the current tag, of which only the opaque part without
    /// quotation marks is given; a prefix `W/` makes no difference (weak comparison).
    ///
    /// Nil where the field is absent.
    public static func condition(
        _ field: KnownField, of head: RequestHead, in bytes: Span<UInt8>, current: [UInt8]
    ) -> Condition? {
        guard head.value(field) != nil else { return nil }
        var isMatch = false
        var isMalformed = false
        var isAny = false
        var count = 0
        head.forEachValue(field, in: bytes) { value in
            ListElements.forEach(in: value, of: bytes) { element in
                count += 1
                isAny = isAny || element.isEqual(to: "*", in: bytes)
                switch compare(element, in: bytes, current: current) {
                case .matches: isMatch = true
                case .differs: break
                case .malformed: isMalformed = true
                }
            }
        }
        if isMalformed || count == 0 || isAny && count > 1 { return .malformed }
        return isMatch ? .matches : .differs
    }

    private static func compare(
        _ element: Slice, in bytes: Span<UInt8>, current: [UInt8]
    ) -> Condition {
        var start = element.range.lowerBound
        let end = element.range.upperBound
        if element.length == 1, bytes[start] == UInt8(ascii: "*") { return .matches }
        if element.length > 2, bytes[start] == UInt8(ascii: "W"),
            bytes[start + 1] == UInt8(ascii: "/")
        {
            start += 2
        }
        let quote = UInt8(ascii: "\"")
        guard end - start >= 2, bytes[start] == quote, bytes[end - 1] == quote else {
            return .malformed
        }
        for index in start + 1..<end - 1
        where bytes[index] < 0x21 || bytes[index] == quote
            || bytes[index] == 0x7F
        {
            return .malformed
        }
        guard end - start - 2 == current.count else { return .differs }
        for index in current.indices where bytes[start + 1 + index] != current[index] {
            return .differs
        }
        return .matches
    }
}
