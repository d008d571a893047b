/// The parameters behind a list element or a media type: `text/html;charset="utf-8";q=0.5`
/// (RFC 9110 §5.6.6).
enum FieldParameters {
    /// Calls `body` with each parameter's name and value, quotation marks taken off and escapes left
    /// as they are; an absent value is empty. Returns what stands before the parameters.
    @inline(__always)
    @discardableResult
    static func forEach(
        in slice: Slice, of bytes: Span<UInt8>, _ body: (_ name: Slice, _ value: Slice) -> Void
    ) -> Slice {
        let end = slice.range.upperBound
        let leadEnd = endOfPart(from: slice.range.lowerBound, to: end, of: bytes)
        var start = leadEnd + 1
        while start <= end {
            let partEnd = endOfPart(from: start, to: end, of: bytes)
            var equals = start
            while equals < partEnd, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
            let name = RequestParser.trimmed(start..<equals, in: bytes)
            let value = RequestParser.trimmed(min(equals + 1, partEnd)..<partEnd, in: bytes)
            if !name.isEmpty { body(name, unquoted(value, in: bytes)) }
            start = partEnd + 1
        }
        return RequestParser.trimmed(slice.range.lowerBound..<leadEnd, in: bytes)
    }

    private static func endOfPart(from start: Int, to end: Int, of bytes: Span<UInt8>) -> Int {
        var index = start
        var isQuoted = false
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: ";"), !isQuoted { return index }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\\"), isQuoted { index += 1 }
            index += 1
        }
        return end
    }

    /// Without the quotation marks around it, if there are any.
    static func unquoted(_ value: Slice, in bytes: Span<UInt8>) -> Slice {
        let range = value.range
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\""),
            bytes[range.upperBound - 1] == UInt8(ascii: "\"")
        else { return value }
        return Slice(range.lowerBound + 1..<range.upperBound - 1)
    }
}
