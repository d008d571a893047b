import Bytes

/// The tokens of a JSON Pointer (RFC 6901), unescaped, in memory that serves the next pointer again.
///
///     "/a~1b/0" → "a/b", "0"
struct PatchPath: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// Tokens; none for the whole document.
    var count: Int { ends.count }

    /// Reads a pointer, the inside of a JSON string that may hold escapes of JSON.
    mutating func read(
        _ text: PatchOperation.Text, in patch: Span<UInt8>, _ limits: PatchLimits
    ) throws(PatchFailure) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        if text.isEscaped {
            let plain = text.unescaped(patch)
            try split(plain.span, limits)
        } else {
            try split(patch.extracting(text.range), limits)
        }
    }

    private mutating func split(
        _ pointer: Span<UInt8>, _ limits: PatchLimits
    ) throws(PatchFailure) {
        guard !pointer.isEmpty else { return }
        guard pointer[0] == UInt8(ascii: "/") else {
            throw PatchFailure(.syntax, "A path is empty or starts with a slash.")
        }
        var index = 1
        while index < pointer.count {
            let byte = pointer[index]
            index += 1
            if byte == UInt8(ascii: "/") {
                ends.append(bytes.count)
            } else if byte == UInt8(ascii: "~") {
                bytes.append(try escaped(index < pointer.count ? pointer[index] : 0))
                index += 1
            } else {
                bytes.append(byte)
            }
        }
        ends.append(bytes.count)
        guard ends.count <= limits.maximumDepth else {
            let detail = "The path is longer than \(limits.maximumDepth) levels."
            throw PatchFailure(.limit, detail)
        }
    }

    private func escaped(_ mark: UInt8) throws(PatchFailure) -> UInt8 {
        switch mark {
        case UInt8(ascii: "0"): return UInt8(ascii: "~")
        case UInt8(ascii: "1"): return UInt8(ascii: "/")
        default: throw PatchFailure(.syntax, "In a path 0 or 1 follows a tilde.")
        }
    }

    /// Calls with the bytes of a token.
    func withToken<Value>(_ index: Int, _ body: (Span<UInt8>) -> Value) -> Value {
        body(bytes.span.extracting(range(of: index)))
    }

    /// The bytes of a token, in a copy.
    func token(_ index: Int) -> [UInt8] {
        Array(bytes[range(of: index)])
    }

    /// The token as an array's index (RFC 6901 §4: no sign, no leading zero); nil if it is none, or
    /// greater than any array is long.
    func index(_ index: Int) -> Int? {
        let range = range(of: index)
        guard (1...15).contains(range.count),
            range.count == 1 || bytes[range.lowerBound] != UInt8(ascii: "0")
        else { return nil }
        var value = 0
        for position in range {
            guard (0x30...0x39).contains(bytes[position]) else { return nil }
            value = value * 10 + Int(bytes[position] - 0x30)
        }
        return value
    }

    /// The token stands for the place behind an array's last element (RFC 6901 §4).
    func isEnd(_ index: Int) -> Bool {
        let range = range(of: index)
        return range.count == 1 && bytes[range.lowerBound] == UInt8(ascii: "-")
    }

    private func range(of index: Int) -> Range<Int> {
        precondition(ends.indices.contains(index), "A token is counted from the root.")
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }
}
