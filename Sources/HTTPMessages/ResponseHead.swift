/// An answer's status line and fields, as offsets into the bytes that they were parsed from: valid
/// for those bytes only.
@usableFromInline
package struct ResponseHead: Sendable, Hashable, BitwiseCopyable {
    /// Says where the body ends (RFC 9112 §6.3).
    @usableFromInline
    package enum BodyFraming: Sendable, Hashable, BitwiseCopyable {
        case none
        case length(Int)
        case chunked
        /// The body ends with the connection.
        case untilClose
    }

    /// The number, 100 to 999.
    package var status = 0
    package var version = HTTPVersion.http11
    package var body = BodyFraming.untilClose
    /// The connection may serve another request (RFC 9112 §9.3).
    package var keepAlive = true
    /// The whole head with its blank line, in bytes from offset 0.
    package var byteCount = 0
    /// The lines of the fields, each with its end.
    var fields = Slice.empty

    /// Calls `body` with all fields in their order.
    package func forEachField(
        in bytes: Span<UInt8>, _ body: (_ name: Slice, _ value: Slice) -> Void
    ) {
        precondition(byteCount <= bytes.count, "A head is read from the bytes that it stands in.")
        var start = fields.range.lowerBound
        while start < fields.range.upperBound {
            let lineEnd = bytes.nextLineFeed(from: start)
            let colon = bytes.endOfToken(from: start)
            body(
                Slice(start..<colon), RequestParser.trimmed(colon + 1..<lineEnd - 1, in: bytes))
            start = lineEnd + 1
        }
    }

    /// The value of the first field of a name, of which the letters' case does not matter.
    package func value(_ name: String, in bytes: Span<UInt8>) -> Slice? {
        var found: Slice?
        forEachField(in: bytes) { field, value in
            if found == nil, field.isEqual(to: name, in: bytes) { found = value }
        }
        return found
    }
}
