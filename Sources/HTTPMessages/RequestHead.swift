import Bytes

/// The places of a request head's parts in the bytes it was parsed from; trivially copied, so that
/// reading a request allocates nothing (RFC 9112 §2.1).
///
///     POST /counter/sessions/demo/actions?settle=5 HTTP/1.1\r\n
///     ╰──╯ ╰───────────── path ─────────╯ ╰query─╯
@usableFromInline
package struct RequestHead: Sendable, BitwiseCopyable {
    /// Tells the end of the body (RFC 9112 §6.3).
    package enum BodyFraming: Sendable, Hashable, BitwiseCopyable {
        case none
        case length(Int)
        case chunked
    }

    /// The method.
    package var method = RequestMethod.other
    /// The version.
    package var version = HTTPVersion.http11
    package var body = BodyFraming.none
    /// The whole head with its blank line, in bytes from offset 0.
    package var byteCount = 0
    /// The method as it was spelled.
    package var methodName = Slice.empty
    /// The target as it was sent.
    package var target = Slice.empty
    /// From the first slash up to the question mark; empty for `http://host`, which means `/`, and
    /// for `OPTIONS *`.
    package var path = Slice.empty
    /// Behind the question mark; empty where there is none.
    package var query = Slice.empty
    /// Host and port: of an absolute target, or else of the field Host.
    package var authority = Slice.empty
    /// The connection may serve another request (RFC 9112 §9.3).
    package var keepAlive = true
    /// The client waits for 100 before it sends the body (RFC 9110 §10.1.1).
    package var expectsContinue = false
    /// The client expects something else: 417.
    package var hasUnknownExpectation = false
    /// The target is `*`.
    package var isAsterisk = false

    var fields = Slice.empty
    @usableFromInline var present: UInt32 = 0
    var repeated: UInt32 = 0
    @usableFromInline var values = InlineArray<22, Slice>(repeating: .empty)

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

    /// The elements of a field's lists.
    package func forEachElement(
        _ field: KnownField, in bytes: Span<UInt8>, _ body: (Slice) -> Void
    ) {
        forEachValue(field, in: bytes) { $0.forEachElement(in: bytes, body) }
    }

    /// An element of a field's lists is this text.
    private func lists(_ field: KnownField, _ text: String, in bytes: Span<UInt8>) -> Bool {
        var isThere = false
        forEachElement(field, in: bytes) { isThere = isThere || $0.isEqual(to: text, in: bytes) }
        return isThere
    }

    /// All fields in their order.
    package func forEachField(
        in bytes: Span<UInt8>, _ body: (_ name: Slice, _ value: Slice) -> Void
    ) {
        var start = fields.range.lowerBound
        let end = fields.range.upperBound
        while start < end {
            var colon = start
            while bytes[colon] != .colon { colon += 1 }
            var lineEnd = colon
            while bytes[lineEnd] != .carriageReturn { lineEnd += 1 }
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

extension RequestHead {
    /// Exactly one Host in HTTP/1.1, and well formed (RFC 9112 §3.2); the authority of a target
    /// that has one counts instead of its value (§3.2.2).
    mutating func checkHost(in bytes: Span<UInt8>) throws(RequestError) {
        guard let host = value(.host) else {
            guard version == .http10 else { throw .malformed("The field Host is missing.") }
            return
        }
        guard host.isAuthority(in: bytes, needsPort: false) else {
            throw .malformed("The field Host is malformed.")
        }
        if authority.isEmpty { authority = host }
    }

    /// Finds the end of the body (RFC 9112 §6); anything that two readers could see differently is
    /// refused.
    mutating func frameBody(in bytes: Span<UInt8>) throws(RequestError) {
        let length = value(.contentLength)
        guard let coding = value(.transferEncoding) else {
            guard let length else { return }
            body = .length(try Self.contentLength(length, in: bytes))
            return
        }
        guard version == .http11 else {
            throw .malformed("HTTP/1.0 has no Transfer-Encoding.")
        }
        guard length == nil else {
            throw .malformed("Content-Length and Transfer-Encoding exclude each other.")
        }
        try Self.checkCodings(coding, in: bytes)
        body = .chunked
    }

    private static func contentLength(
        _ slice: Slice, in bytes: Span<UInt8>
    ) throws(RequestError) -> Int {
        guard !slice.isEmpty else { throw .malformed("Content-Length is empty.") }
        var value = 0
        for index in slice.range {
            guard bytes[index].isDigit else {
                throw .malformed("Content-Length is not a number.")
            }
            let (tens, isHuge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isHuger) = tens.addingReportingOverflow(Int(bytes[index] - 0x30))
            guard !isHuge, !isHuger else { throw .bodyTooLarge(limit: nil) }
            value = sum
        }
        return value
    }

    /// Chunked is the only coding, or the last of several: 501. Twice, or before others: 400.
    private static func checkCodings(
        _ slice: Slice, in bytes: Span<UInt8>
    ) throws(RequestError) {
        guard !slice.isEqual(to: "chunked", in: bytes) else { return }
        var start = slice.range.lowerBound
        var index = start
        while index < slice.range.upperBound {
            if bytes[index] == UInt8(ascii: ",") {
                let coding = RequestParser.trimmed(start..<index, in: bytes)
                let isToken = !coding.range.contains { !bytes[$0].isToken }
                guard isToken, !coding.isEmpty, !coding.isEqual(to: "chunked", in: bytes) else {
                    throw .malformed("Transfer-Encoding is malformed, or names chunked twice.")
                }
                start = index + 1
            }
            index += 1
        }
        let last = RequestParser.trimmed(start..<slice.range.upperBound, in: bytes)
        guard last.isEqual(to: "chunked", in: bytes) else {
            throw .malformed("Transfer-Encoding must end with chunked.")
        }
        throw RequestError(
            status: 501, code: "transfer-coding-not-supported",
            detail: "The only transfer coding here is chunked.")
    }

    /// Reads that the connection stays or ends, and what the client expects.
    mutating func readConnection(in bytes: Span<UInt8>) {
        keepAlive = version == .http11
        if has(.connection) {
            let keeps = keepAlive || lists(.connection, "keep-alive", in: bytes)
            keepAlive = keeps && !lists(.connection, "close", in: bytes)
        }
        guard has(.expect), version == .http11 else { return }
        var isUnknown = false
        forEachElement(.expect, in: bytes) { element in
            isUnknown = isUnknown || !element.isEqual(to: "100-continue", in: bytes)
        }
        hasUnknownExpectation = isUnknown
        let waits = !isUnknown && body != .none && body != .length(0)
        expectsContinue = waits && lists(.expect, "100-continue", in: bytes)
    }
}

extension Slice {
    /// Host and port (RFC 3986 §3.2), without user information.
    fileprivate func isAuthority(in bytes: Span<UInt8>, needsPort: Bool) -> Bool {
        var index = range.lowerBound
        let end = range.upperBound
        guard index < end else { return false }
        if bytes[index] == UInt8(ascii: "[") {
            index += 1
            let start = index
            while index < end,
                Hexadecimal.value(of: bytes[index]) != nil || bytes[index] == .colon
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
            while index < end, Self.isName(bytes[index]) { index += 1 }
            guard index > start else { return false }
        }
        return Self.isPort(index..<end, in: bytes, needed: needsPort)
    }

    private static func isPort(_ range: Range<Int>, in bytes: Span<UInt8>, needed: Bool) -> Bool {
        guard !range.isEmpty else { return !needed }
        guard bytes[range.lowerBound] == .colon, range.count <= 6 else { return false }
        guard range.count > 1 else { return !needed }
        return Slice(range.lowerBound + 1..<range.upperBound).decimal(in: bytes) ?? .max <= 65_535
    }

    /// Registered names and IPv4: letters, digits, and the marks that host names use.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension RequestHead {
    /// Tells the four forms of a target apart (RFC 9112 §3.2) and finds path and query.
    mutating func splitTarget(in bytes: Span<UInt8>) throws(RequestError) {
        let first = bytes[target.range.lowerBound]
        if first == UInt8(ascii: "/") {
            guard method != .connect else { throw .malformed("CONNECT takes host and port.") }
            return try splitPath(target.range, in: bytes)
        }
        if first == UInt8(ascii: "*"), target.length == 1 {
            guard method == .options else { throw .malformed("Only OPTIONS takes `*`.") }
            isAsterisk = true
            return
        }
        if method == .connect {
            guard target.isAuthority(in: bytes, needsPort: true) else {
                throw .malformed("CONNECT takes host and port.")
            }
            authority = target
            return
        }
        try splitAbsolute(in: bytes)
    }

    private mutating func splitAbsolute(in bytes: Span<UInt8>) throws(RequestError) {
        let start: Int
        if hasPrefix("http://", in: bytes) {
            start = target.range.lowerBound + 7
        } else if hasPrefix("https://", in: bytes) {
            start = target.range.lowerBound + 8
        } else {
            throw .malformed("The target is neither a path nor an http URL.")
        }
        var end = start
        while end < target.range.upperBound, bytes[end] != UInt8(ascii: "/"),
            bytes[end] != UInt8(ascii: "?")
        {
            end += 1
        }
        authority = Slice(start..<end)
        guard authority.isAuthority(in: bytes, needsPort: false) else {
            throw .malformed("The target's host is malformed.")
        }
        try splitPath(end..<target.range.upperBound, in: bytes)
        if method == .options, path.isEmpty, query.isEmpty { isAsterisk = true }
    }

    private func hasPrefix(_ text: String, in bytes: Span<UInt8>) -> Bool {
        let count = text.utf8.count
        guard Int(target.length) > count else { return false }
        let start = target.range.lowerBound
        return Slice(start..<start + count).isEqual(to: text, in: bytes)
    }

    private mutating func splitPath(_ range: Range<Int>, in bytes: Span<UInt8>)
        throws(RequestError)
    {
        var index = range.lowerBound
        var mark: Int?
        while true {
            index = bytes.endOfPlainPath(from: index, to: range.upperBound)
            guard index < range.upperBound else { break }
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < range.upperBound, Hexadecimal.value(of: bytes[index + 1]) != nil,
                    Hexadecimal.value(of: bytes[index + 2]) != nil
                else { throw .malformed("A percent sign needs two hexadecimal digits.") }
            } else if byte == UInt8(ascii: "?") {
                if mark == nil { mark = index }
            } else if !byte.isURI, mark == nil || !byte.isTolerated {
                throw .malformed("The target holds a character that must be encoded.")
            }
            index += 1
        }
        var end = range.upperBound
        if let mark {
            query = Slice(mark + 1..<end)
            end = mark
        }
        path = Slice(range.lowerBound..<end)
    }
}

extension RequestHead {
    /// A request says that its body is JSON.
    package func isJSON(in bytes: Span<UInt8>) -> Bool {
        guard let type = value(.contentType) else { return false }
        // As nearly every client writes it.
        return bytes.extracting(type.range).elementsEqual(Self.json.span)
            || type.isMediaType("application/json", in: bytes)
    }

    private static let json = Array("application/json".utf8)
}

extension Slice {
    /// A field's value names this media type (RFC 9110 §8.3.1); parameters such as `charset` make no
    /// difference.
    package func isMediaType(_ type: String, in bytes: Span<UInt8>) -> Bool {
        let end = range.first { bytes[$0] == UInt8(ascii: ";") } ?? range.upperBound
        return RequestParser.trimmed(range.lowerBound..<end, in: bytes).isEqual(to: type, in: bytes)
    }
}

/// The methods that are told apart without a string (RFC 9110 §9.3, RFC 5789).
package enum RequestMethod: Sendable, Hashable, BitwiseCopyable {
    case get, head, post, put, delete, options, patch, connect, trace
    /// Any other token.
    case other

    /// The method that a token names; case matters.
    static func named(_ slice: Slice, in bytes: Span<UInt8>) -> RequestMethod {
        var word: UInt64 = 0
        guard slice.length <= 8 else { return .other }
        for index in slice.range.reversed() { word = word << 8 | UInt64(bytes[index]) }
        switch word {
        case 0x54_4547: return .get
        case 0x4441_4548: return .head
        case 0x5453_4F50: return .post
        case 0x54_5550: return .put
        case 0x4554_454C_4544: return .delete
        case 0x53_4E4F_4954_504F: return .options
        case 0x48_4354_4150: return .patch
        case 0x54_4345_4E4E_4F43: return .connect
        case 0x45_4341_5254: return .trace
        default: return .other
        }
    }
}

/// The versions that are served (RFC 9112 §2.3); a later 1.x counts as 1.1.
package enum HTTPVersion: Sendable, Hashable, BitwiseCopyable {
    case http10, http11
}
