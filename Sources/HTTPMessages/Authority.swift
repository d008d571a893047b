import Bytes

/// Host and port (RFC 3986 §3.2), without user information.
enum Authority {
    static func isValid(_ slice: Slice, in bytes: Span<UInt8>, needsPort: Bool) -> Bool {
        var index = slice.range.lowerBound
        let end = slice.range.upperBound
        guard index < end else { return false }
        if bytes[index] == UInt8(ascii: "[") {
            index += 1
            let start = index
            while index < end,
                Hexadecimal.value(of: bytes[index]) != nil || bytes[index] == ByteClass.colon
                    || bytes[index] == UInt8(ascii: ".")
            {
                index += 1
            }
            guard index > start + 1, index < end, bytes[index] == UInt8(ascii: "]") else {
                return false
            }
            index += 1
        } else {
            let start = index
            while index < end, isName(bytes[index]) { index += 1 }
            guard index > start else { return false }
        }
        return isPort(index..<end, in: bytes, needed: needsPort)
    }

    private static func isPort(_ range: Range<Int>, in bytes: Span<UInt8>, needed: Bool) -> Bool {
        guard !range.isEmpty else { return !needed }
        guard bytes[range.lowerBound] == ByteClass.colon, range.count <= 6 else { return false }
        guard range.count > 1 else { return !needed }
        return Slice(range.lowerBound + 1..<range.upperBound).decimal(in: bytes) ?? .max <= 65_535
    }

    /// Registered names and IPv4: letters, digits, and the marks that host names use.
    private static func isName(_ byte: UInt8) -> Bool {
        ByteClass.isDigit(byte) || ByteClass.lowercased(byte) &- 0x61 < 26
            || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }
}
