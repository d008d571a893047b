/// The places of a request head's parts in the bytes it was parsed from; trivially copied, so that
/// reading a request allocates nothing (RFC 9112 §2.1).
///
///     POST /counter/sessions/demo/actions?settle=5 HTTP/1.1\r\n
///     ╰──╯ ╰───────────── path ─────────╯ ╰query─╯
@usableFromInline
package struct RequestHead: Sendable, BitwiseCopyable {
    /// Tells the end of the body (RFC 9112 §6.3).
    @usableFromInline
    package enum BodyFraming: Sendable, Hashable, BitwiseCopyable {
        case none
        case length(Int)
        case chunked
    }

    /// The method.
    @usableFromInline package var method = RequestMethod.other
    /// The version.
    @usableFromInline package var version = HTTPVersion.http11
    @usableFromInline package var body = BodyFraming.none
    /// The whole head with its blank line, in bytes from offset 0.
    @usableFromInline package var byteCount = 0
    /// The method as it was spelled.
    @usableFromInline package var methodName = Slice.empty
    /// The target as it was sent.
    @usableFromInline package var target = Slice.empty
    /// From the first slash up to the question mark; empty for `http://host`, which means `/`, and
    /// for `OPTIONS *`.
    @usableFromInline package var path = Slice.empty
    /// Behind the question mark; empty where there is none.
    @usableFromInline package var query = Slice.empty
    /// Host and port: of an absolute target, or else of the field Host.
    @usableFromInline package var authority = Slice.empty
    /// The connection may serve another request (RFC 9112 §9.3).
    @usableFromInline package var keepAlive = true
    /// The client waits for 100 before it sends the body (RFC 9110 §10.1.1).
    @usableFromInline package var expectsContinue = false
    /// The client expects something else: 417.
    @usableFromInline package var hasUnknownExpectation = false
    /// The target is `*`.
    @usableFromInline package var isAsterisk = false

    @usableFromInline var fields = Slice.empty
    @usableFromInline var present: UInt32 = 0
    @usableFromInline var repeated: UInt32 = 0
    @usableFromInline var values = InlineArray<22, Slice>(repeating: .empty)

    @inlinable
    init() {}

    /// A field is there. Asked before `value` where it rarely is, so that the head is not copied: each
    /// look at a value is through all of them.
    @inlinable
    @inline(__always)
    package func has(_ field: KnownField) -> Bool {
        present & 1 << UInt32(field.rawValue) != 0
    }

    /// The value of a field, without the white space around it; the first one of a list that
    /// stands on several lines, for which see `forEachValue`.
    @inlinable
    package func value(_ field: KnownField) -> Slice? {
        guard has(field) else { return nil }
        return values[Int(field.rawValue)]
    }

    /// The values of a field in their order, one a line.
    package func forEachValue(
        _ field: KnownField, in bytes: Span<UInt8>, _ body: (Slice) -> Void
    ) {
        guard let first = value(field) else { return }
        guard repeated & 1 << UInt32(field.rawValue) != 0 else { return body(first) }
        forEachField(in: bytes) { name, value in
            if KnownField.named(name, in: bytes) == field { body(value) }
        }
    }

    /// All fields in their order.
    package func forEachField(
        in bytes: Span<UInt8>, _ body: (_ name: Slice, _ value: Slice) -> Void
    ) {
        var start = fields.range.lowerBound
        let end = fields.range.upperBound
        while start < end {
            var colon = start
            while bytes[colon] != ByteClass.colon { colon += 1 }
            var lineEnd = colon
            while bytes[lineEnd] != ByteClass.carriageReturn { lineEnd += 1 }
            body(
                Slice(start..<colon), RequestParser.trimmed(colon + 1..<lineEnd, in: bytes))
            start = lineEnd + 2
        }
    }

    mutating func set(_ field: KnownField, _ value: Slice) throws(RequestError) {
        let bit: UInt32 = 1 << UInt32(field.rawValue)
        if present & bit != 0 {
            guard !field.isSingular else {
                throw .malformed("The field \(field.name) may stand once only.")
            }
            repeated |= bit
            return
        }
        present |= bit
        values[Int(field.rawValue)] = value
    }
}
