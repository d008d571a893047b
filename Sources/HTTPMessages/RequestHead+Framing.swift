extension RequestHead {
    /// Exactly one Host in HTTP/1.1, and well formed (RFC 9112 §3.2); the authority of a target
    /// that has one counts instead of its value (§3.2.2).
    mutating func checkHost(in bytes: Span<UInt8>) throws(RequestError) {
        guard let host = value(.host) else {
            guard version == .http10 else { throw .malformed("The field Host is missing.") }
            return
        }
        guard Authority.isValid(host, in: bytes, needsPort: false) else {
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
            guard ByteClass.isDigit(bytes[index]) else {
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
                let isToken = !coding.range.contains { !ByteClass.isToken(bytes[$0]) }
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
            var closes = false
            var keeps = keepAlive
            forEachValue(.connection, in: bytes) { value in
                ListElements.forEach(in: value, of: bytes) { element in
                    if element.isEqual(to: "close", in: bytes) { closes = true }
                    if element.isEqual(to: "keep-alive", in: bytes) { keeps = true }
                }
            }
            keepAlive = keeps && !closes
        }
        guard has(.expect), version == .http11 else { return }
        var continues = false
        var isUnknown = false
        forEachValue(.expect, in: bytes) { value in
            ListElements.forEach(in: value, of: bytes) { element in
                let isContinue = element.isEqual(to: "100-continue", in: bytes)
                continues = continues || isContinue
                isUnknown = isUnknown || !isContinue
            }
        }
        hasUnknownExpectation = isUnknown
        expectsContinue = continues && !isUnknown && body != .none && body != .length(0)
    }
}

/// The elements of a comma-separated list (RFC 9110 §5.6.1), empty ones passed over, commas inside
/// quotation marks left alone.
package enum ListElements {
    /// Calls `body` with each element.
    package static func forEach(in slice: Slice, of bytes: Span<UInt8>, _ body: (Slice) -> Void) {
        var start = slice.range.lowerBound
        var index = start
        var isQuoted = false
        while index <= slice.range.upperBound {
            let isEnd = index == slice.range.upperBound
            if !isEnd, bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isEnd || bytes[index] == UInt8(ascii: ",") && !isQuoted {
                let element = RequestParser.trimmed(start..<index, in: bytes)
                if !element.isEmpty { body(element) }
                start = index + 1
            }
            index += 1
        }
    }
}
