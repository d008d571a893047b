import Bytes

/// Takes whole answers out of what a connection receives, however it is cut.
///
///     var reader = ResponseReader()
///     try reader.read(bytes) { head, message, body in print(head.status) }
///     try reader.end { head, message, body in … }         // the connection has ended
///
/// An answer that arrives in one piece is read where it lies, without a copy. Interim answers
/// (RFC 9110 §15.2) are passed over.
package struct ResponseReader: Sendable {
    /// Gets an answer: its head, the bytes that it stands in, and where its body lies in them, taken
    /// out of its chunks.
    package typealias Receiver = (
        _ head: ResponseHead, _ message: Span<UInt8>, _ body: Range<Int>
    ) -> Void

    /// Bounds one body, in bytes.
    private let limit: Int
    private let answersHead: Bool
    /// The bytes of the answer that is not whole yet, from its beginning.
    private var pending: [UInt8] = []
    private var parser: ResponseParser
    private var head: ResponseHead?
    private var chunks: ChunkedDecoder?

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
        while pending.isEmpty, start < bytes.count {
            let rest = bytes.extracting(start...)
            guard let length = try readInPlace(rest, receive) else { break }
            start += length
        }
        guard start < bytes.count else { return }
        pending.append(copying: bytes.extracting(start...))
        while try readPending(receive) {}
        guard let head, head.body == .untilClose else { return }
        guard pending.count - head.byteCount <= limit else { throw .tooLong(limit: limit) }
    }

    /// Hands out an answer whose body ends with the connection; throws where one is cut off.
    package mutating func end(_ receive: Receiver) throws(ResponseError) {
        guard !pending.isEmpty else { return }
        guard let head, head.body == .untilClose else {
            throw .malformed("The connection has ended within an answer.")
        }
        handOut(head, pending.span, head.byteCount..<pending.count, receive)
        begin(behind: pending.count)
    }

    /// The length of an answer that is whole in these bytes, once it is handed out.
    private func readInPlace(
        _ bytes: Span<UInt8>, _ receive: Receiver
    ) throws(ResponseError) -> Int? {
        var parser = parser
        guard let head = try parser.parse(bytes) else { return nil }
        guard let body = try head.wholeBody(of: bytes.count, limit) else { return nil }
        handOut(head, bytes, body, receive)
        return body.upperBound
    }

    /// Hands out the first of the pending answers; false where it is not whole.
    private mutating func readPending(_ receive: Receiver) throws(ResponseError) -> Bool {
        if head == nil {
            var parser = parser
            head = try parser.parse(pending.span)
            self.parser = parser
        }
        guard let head else { return false }
        if head.body == .chunked {
            var decoder = chunks ?? ChunkedDecoder(start: head.byteCount, limit: limit)
            let progress = try decoder.decodeAnswer(&pending)
            guard case .complete(let end) = progress else {
                decoder.compact(&pending)
                chunks = decoder
                return false
            }
            handOut(head, pending.span, head.byteCount..<decoder.decodedEnd, receive)
            begin(behind: end)
            return true
        }
        guard let body = try head.wholeBody(of: pending.count, limit) else { return false }
        handOut(head, pending.span, body, receive)
        begin(behind: body.upperBound)
        return true
    }

    private func handOut(
        _ head: ResponseHead, _ message: Span<UInt8>, _ body: Range<Int>, _ receive: Receiver
    ) {
        if head.status >= 200 { receive(head, message, body) }
    }

    private mutating func begin(behind end: Int) {
        pending.removeFirst(end)
        parser = ResponseParser(answersHead: answersHead)
        head = nil
        chunks = nil
    }
}

extension ResponseHead {
    /// The place of the body among so many bytes, where its end is known and has come.
    fileprivate func wholeBody(of count: Int, _ limit: Int) throws(ResponseError) -> Range<Int>? {
        switch body {
        case .none: return byteCount..<byteCount
        case .length(let length):
            guard length <= limit else { throw .tooLong(limit: limit) }
            return length <= count - byteCount ? byteCount..<byteCount + length : nil
        case .chunked, .untilClose: return nil
        }
    }
}
