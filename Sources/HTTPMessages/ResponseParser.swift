/// Reads one answer's head (RFC 9112 §§4–6) out of what a connection has received so far, as a
/// client does.
///
///     HTTP/1.1 200 OK\r\n
///     Content-Length: 2\r\n
///     \r\n
///
/// The same bytes lead to the same result however they are cut, in time linear in their number;
/// nothing is allocated. As strict as `RequestParser`: lines end with CRLF, nothing is folded, no
/// white space stands before a colon, and there is one framing.
package struct ResponseParser: Sendable, BitwiseCopyable {
    /// Bounds the head in bytes.
    private let limit: Int
    /// An answer to HEAD has no body, whatever its fields say (RFC 9110 §9.3.2).
    private let answersHead: Bool
    private var head = ResponseHead()
    private var length: Int?
    private var isChunked = false
    private var closes = false
    private var keeps = false
    private var lineStart = 0
    /// No line feed was found from `lineStart` up to here.
    private var searched = 0

    /// A parser for one head; a new one for the next.
    package init(headByteCount limit: Int = 64 << 10, answersHead: Bool = false) {
        self.limit = min(limit, 1 << 30)
        self.answersHead = answersHead
    }

    /// Goes on with all that was received since the beginning of the answer; nil where the head is
    /// not complete.
    package mutating func parse(_ bytes: Span<UInt8>) throws(ResponseError) -> ResponseHead? {
        while true {
            let lineFeed = bytes.nextLineFeed(from: searched)
            searched = lineFeed
            guard lineFeed < limit else { throw .tooLong(limit: limit) }
            guard lineFeed < bytes.count else { return nil }
            guard lineFeed > lineStart, bytes[lineFeed - 1] == .carriageReturn else {
                throw .malformed("A line does not end in CRLF.")
            }
            let line = lineStart..<lineFeed - 1
            let start = lineStart
            lineStart = lineFeed + 1
            searched = lineStart
            if start == 0 {
                try readStatus(line, bytes)
                head.fields = Slice(lineStart..<lineStart)
            } else if line.isEmpty {
                head.byteCount = lineStart
                try frame()
                return head
            } else {
                try readField(line, bytes)
                head.fields = Slice(head.fields.range.lowerBound..<lineStart)
            }
        }
    }

    /// `HTTP/1.1 200 OK`; the reason phrase may be empty.
    private mutating func readStatus(
        _ line: Range<Int>, _ bytes: Span<UInt8>
    ) throws(ResponseError) {
        guard line.count >= 12, Slice(0..<7).isEqual(to: "HTTP/1.", in: bytes),
            bytes[7].isDigit, bytes[8] == .space
        else { throw .malformed("The answer begins with no status line of HTTP/1.") }
        head.version = bytes[7] == UInt8(ascii: "0") ? .http10 : .http11
        guard let status = Slice(9..<12).decimal(in: bytes), status >= 100,
            line.count == 12 || bytes[12] == .space,
            bytes.endOfFieldContent(from: 12) == line.upperBound
        else { throw .malformed("The status is no number of three digits.") }
        head.status = status
    }

    private mutating func readField(
        _ line: Range<Int>, _ bytes: Span<UInt8>
    ) throws(ResponseError) {
        let colon = bytes.endOfToken(from: line.lowerBound)
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == .colon,
            bytes.endOfFieldContent(from: colon + 1) == line.upperBound
        else { throw .malformed("A field is malformed.") }
        let name = Slice(line.lowerBound..<colon)
        let value = RequestParser.trimmed(colon + 1..<line.upperBound, in: bytes)
        switch name.length {
        case 10 where name.isEqual(to: "Connection", in: bytes):
            var (closes, keeps) = (closes, keeps)
            value.forEachElement(in: bytes) { element in
                if element.isEqual(to: "close", in: bytes) { closes = true }
                if element.isEqual(to: "keep-alive", in: bytes) { keeps = true }
            }
            (self.closes, self.keeps) = (closes, keeps)
        case 14 where name.isEqual(to: "Content-Length", in: bytes):
            guard let number = value.decimal(in: bytes), length ?? number == number else {
                throw .malformed("Content-Length is no number, or two.")
            }
            length = number
        case 17 where name.isEqual(to: "Transfer-Encoding", in: bytes):
            guard !isChunked, value.isEqual(to: "chunked", in: bytes) else {
                throw .malformed("The only transfer coding here is chunked.")
            }
            isChunked = true
        default: break
        }
    }

    private mutating func frame() throws(ResponseError) {
        head.keepAlive = !closes && (keeps || head.version == .http11)
        guard !isChunked || length == nil else {
            throw .malformed("Content-Length stands beside Transfer-Encoding.")
        }
        switch head.status {
        case 100..<200, 204, 304: head.body = .none
        case _ where answersHead: head.body = .none
        default: head.body = isChunked ? .chunked : length.map { .length($0) } ?? .untilClose
        }
    }
}

/// The reason for which an answer is refused; nothing behind it on its connection can be read.
package enum ResponseError: Error, Sendable, Hashable {
    /// The bytes are no answer of HTTP/1: the sentence says what is wrong.
    case malformed(String)
    /// The head, or the whole answer, is longer than the reader takes.
    case tooLong(limit: Int)
}
