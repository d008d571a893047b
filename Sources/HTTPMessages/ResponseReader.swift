import Bytes

/// Takes whole answers out of what a connection receives, however it is cut.
///
///     var reader = ResponseReader()
///     try reader.read(bytes) { head, message, body in print(head.status) }
///     try reader.end { head, message, body in … }         // the connection has ended
///
/// Interim answers (RFC 9110 §15.2) are passed over.
package struct ResponseReader: Sendable {
    /// Gets an answer: its head, the bytes that it stands in, and where its body lies in them, taken
    /// out of its chunks.
    package typealias Receiver = (
        _ head: ResponseHead, _ message: Span<UInt8>, _ body: Range<Int>
    ) -> Void

    /// Bounds one body, in bytes.
    private let limit: Int
    private let answersHead: Bool
    /// The beginning of an answer that is not whole yet: its head, and of its body what has come.
    private var message: [UInt8] = []
    private var parser: ResponseParser
    /// The head of that answer, once it is whole.
    private var present: (head: ResponseHead, body: ResponseBody)?

    /// A reader of answers whose bodies have at most `limit` bytes, to HEAD or to other methods.
    package init(limit: Int = 64 << 20, answersHead: Bool = false) {
        self.limit = limit
        self.answersHead = answersHead
        parser = ResponseParser(answersHead: answersHead)
    }

    /// Goes on with what came, and hands out each answer that is whole by it. After an error there
    /// is nothing more to read.
    package mutating func read(
        _ bytes: Span<UInt8>, _ receive: Receiver
    ) throws(ResponseError) {
        var start = 0
        while start < bytes.count {
            let rest = bytes.extracting(start...)
            start += try present == nil ? readHead(rest, receive) : readBody(rest, receive)
        }
    }

    /// Hands out an answer whose body ends with the connection; throws where one is cut off.
    package mutating func end(_ receive: Receiver) throws(ResponseError) {
        guard !message.isEmpty else { return }
        guard let head = present?.head, head.body == .untilClose else {
            throw .malformed("The connection has ended within an answer.")
        }
        handOut(head, receive)
    }

    private mutating func readHead(
        _ bytes: Span<UInt8>, _ receive: Receiver
    ) throws(ResponseError) -> Int {
        let known = message.count
        message.append(copying: bytes)
        var parser = parser
        let found = try parser.parse(message.span)
        self.parser = parser
        guard let head = found else { return bytes.count }
        message.removeLast(message.count - head.byteCount)
        if case .length(let length) = head.body, length > limit { throw .tooLong(limit: limit) }
        present = (head, ResponseBody(head.body, limit: limit))
        _ = try readBody(Span(), receive)
        return head.byteCount - known
    }

    private mutating func readBody(
        _ bytes: Span<UInt8>, _ receive: Receiver
    ) throws(ResponseError) -> Int {
        guard let (head, framing) = present.take() else { return 0 }
        var body = framing
        let used = try body.read(bytes, to: &message)
        guard message.count - head.byteCount <= limit else { throw .tooLong(limit: limit) }
        if body.isComplete {
            handOut(head, receive)
        } else {
            present = (head, body)
        }
        return used
    }

    /// Hands out the answer that is whole; the next one begins.
    private mutating func handOut(_ head: ResponseHead, _ receive: Receiver) {
        if head.status >= 200 { receive(head, message.span, head.byteCount..<message.count) }
        message.removeAll(keepingCapacity: true)
        parser = ResponseParser(answersHead: answersHead)
        present = nil
    }
}

/// Takes the framing off the body of one answer, which is read piece by piece: an event stream for
/// instance.
package struct ResponseBody: Sendable {
    private enum Framing: Sendable {
        case length(rest: Int)
        case chunked(ChunkedDecoder, coded: [UInt8])
        case untilClose
    }

    private var framing: Framing
    /// The body's last byte has come. One that ends with the connection never says so.
    package private(set) var isComplete = false

    /// The body behind this head, in chunks of at most `limit` bytes together.
    package init(_ framing: ResponseHead.BodyFraming, limit: Int = .max) {
        switch framing {
        case .none: self.framing = .length(rest: 0)
        case .length(let length): self.framing = .length(rest: length)
        case .chunked: self.framing = .chunked(ChunkedDecoder(start: 0, limit: limit), coded: [])
        case .untilClose: self.framing = .untilClose
        }
        if case .length(rest: 0) = self.framing { isComplete = true }
    }

    /// Appends what these bytes of the connection bring, and returns how many of them belong to the
    /// body.
    @discardableResult
    package mutating func read(
        _ bytes: Span<UInt8>, to payload: inout [UInt8]
    ) throws(ResponseError) -> Int {
        guard !isComplete else { return 0 }
        switch framing {
        case .untilClose: payload.append(copying: bytes)
        case .length(let rest):
            let count = min(rest, bytes.count)
            payload.append(copying: bytes.extracting(..<count))
            framing = .length(rest: rest - count)
            isComplete = rest == count
            return count
        case .chunked(var decoder, var coded):
            framing = .untilClose
            coded.append(copying: bytes)
            let progress = try decoder.decodeAnswer(&coded)
            let unused = if case .complete(let end) = progress { coded.count - end } else { 0 }
            isComplete = progress != .needMore
            decoder.drain(&coded, to: &payload)
            framing = .chunked(decoder, coded: coded)
            return bytes.count - unused
        }
        return bytes.count
    }
}
