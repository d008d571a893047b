/// An answer's status line and fields, as offsets into the bytes that they were parsed from: valid
/// for those bytes only.
package struct ResponseHead: Sendable, Hashable, BitwiseCopyable {
    /// Says where the body ends (RFC 9112 §6.3).
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
}

extension ResponseHead {
    /// The registered words beside a status (RFC 9110 §15, RFC 6585); empty where there are none.
    package static func reasonPhrase(_ status: Int) -> String {
        phrases[status] ?? ""
    }

    /// `HTTP/1.1 200 OK` and its line end, for a status of 100 to 599 (RFC 9112 §4).
    static func statusLine(_ status: Int) -> [UInt8] {
        precondition((100..<600).contains(status), "A status is 100 to 599.")
        return lines[status - 100]
    }

    private static let lines = (100..<600).map {
        Array("HTTP/1.1 \($0) \(reasonPhrase($0))\r\n".utf8)
    }

    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols",
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 205: "Reset Content",
        206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        507: "Insufficient Storage", 508: "Loop Detected",
    ]
}
