internal import Bytes
internal import HTTPMessages
internal import HTTPTypes

/// Makes whole requests out of what a connection has received: head, then body, in one piece.
///
/// A pure value: bytes in, steps out. A request that lies whole in the bytes is left where it is;
/// one in chunks is collected in a buffer of its own.
struct RequestAssembler: Sendable {
    /// The next thing that the bytes hold. Counts are from the start of the bytes that `next` was
    /// given.
    enum Step {
        /// A request, in place: its body, and how many bytes it takes.
        case request(RequestHead, body: Range<Int>, byteCount: Int)
        /// A request whose head and body are in `takeMessage()`; so many bytes are used.
        case assembled(RequestHead, byteCount: Int)
        /// The request is not whole; so many bytes are used and not needed again.
        case needMore(byteCount: Int)
        /// The connection cannot go on. `isHead`: the request is HEAD as far as can be told.
        case refused(ProblemDetails, isHead: Bool)
    }

    /// The knowledge of the request that is under way. Indirect: most requests come whole, and then
    /// an assembler is a few words, without a head to copy.
    private indirect enum Place {
        case beginning
        case head(RequestParser)
        case body(RequestHead)
        case chunks(RequestHead, ChunkedDecoder)
        case whole(RequestHead)
    }

    /// Chunk sizes and extensions stay in the message up to so many bytes; then they are dropped.
    private static let toleratedWaste = 16 * 1024

    private let bounds: RequestBounds
    private var place = Place.beginning
    /// The head and what is decoded of its body, then what is not decoded yet.
    private var message: [UInt8] = []

    init(bounds: RequestBounds) {
        self.bounds = bounds
    }

    /// Looks at `bytes`: all that was received and is not used yet. `bodyLimit` tells how many bytes
    /// the body behind a head may have.
    @inline(__always)
    mutating func next(
        _ bytes: Span<UInt8>, bodyLimit: (RequestHead, Span<UInt8>) -> Int
    ) -> Step {
        if case .beginning = place {
            parse(RequestParser(limits: bounds.head), bytes, bodyLimit)
        } else {
            goOn(bytes, bodyLimit)
        }
    }

    @inline(never)
    private mutating func goOn(
        _ bytes: Span<UInt8>, _ bodyLimit: (RequestHead, Span<UInt8>) -> Int
    ) -> Step {
        switch place {
        case .beginning: parse(RequestParser(limits: bounds.head), bytes, bodyLimit)
        case .head(let parser): parse(parser, bytes, bodyLimit)
        case .body(let head): findBody(of: head, in: bytes)
        case .chunks(let head, let decoder): decode(head, decoder, bytes)
        case .whole(let head): .assembled(head, byteCount: 0)
        }
    }

    /// A head is complete, its body is not.
    var hasHead: Bool {
        switch place {
        case .beginning, .head: false
        case .body, .chunks, .whole: true
        }
    }

    /// Answers true where the request that is under way is HEAD, as far as `bytes` tell: those that
    /// `next` was given last and did not use.
    func isHead(_ bytes: Span<UInt8>) -> Bool {
        switch place {
        case .beginning: false
        case .head(let parser): parser.isHead(bytes)
        case .body(let head), .chunks(let head, _), .whole(let head): head.method == .head
        }
    }

    /// A head that was taken out of the bytes, and what is decoded of its body.
    var keptHead: [UInt8]? { message.isEmpty ? nil : message }

    /// The count of bytes of a message that are kept here.
    var messageByteCount: Int { message.count }

    /// Bytes were used that belong to a request that is not handed out yet.
    var isMidway: Bool {
        switch place {
        case .beginning, .head, .body: false
        case .chunks, .whole: true
        }
    }

    /// The head whose client waits to be told to send the body, and its bytes, of which `bytes`
    /// are those that `next` was given last.
    func headAwaitingContinue(_ bytes: Span<UInt8>) -> (head: RequestHead, bytes: [UInt8])? {
        switch place {
        case .body(let head) where head.expectsContinue:
            (head, [UInt8](copying: bytes.extracting(..<head.byteCount)))
        case .chunks(let head, _) where head.expectsContinue:
            (head, Array(message[..<head.byteCount]))
        case .beginning, .head, .whole, .body, .chunks: nil
        }
    }

    /// The collected request, head and body; the next one begins.
    mutating func takeMessage() -> [UInt8] {
        place = .beginning
        defer { message = [] }
        return message
    }

    /// The collected request is not handed out after all.
    mutating func putBack(_ head: RequestHead, _ message: [UInt8]) {
        self.message = message
        place = .whole(head)
    }

    @inline(__always)
    private mutating func parse(
        _ parser: RequestParser, _ bytes: Span<UInt8>,
        _ bodyLimit: (RequestHead, Span<UInt8>) -> Int
    ) -> Step {
        var parser = parser
        switch parser.parse(bytes) {
        case .needMore:
            place = .head(parser)
            return .needMore(byteCount: 0)
        case .refused(let error):
            return .refused(ProblemDetails(error), isHead: parser.isHead(bytes))
        case .head(let head):
            if head.hasUnknownExpectation {
                return .refused(.unknownExpectation, isHead: head.method == .head)
            }
            switch head.body {
            case .none:
                setBeginning()
                let count = head.byteCount
                return .request(head, body: count..<count, byteCount: count)
            case .length(let length):
                let limit = bodyLimit(head, bytes)
                guard length <= limit else {
                    let problem = ProblemDetails.bodyTooLarge(limit: limit)
                    return .refused(problem, isHead: head.method == .head)
                }
                return findBody(of: head, in: bytes)
            case .chunked: return beginChunks(head, bytes, limit: bodyLimit(head, bytes))
            }
        }
    }

    @inline(__always)
    private mutating func setBeginning() {
        if case .beginning = place { return }
        place = .beginning
    }

    private mutating func beginChunks(
        _ head: RequestHead, _ bytes: Span<UInt8>, limit: Int
    ) -> Step {
        message = [UInt8](copying: bytes.extracting(..<head.byteCount))
        let decoder = ChunkedDecoder(start: head.byteCount, limit: limit)
        let rest = bytes.extracting(head.byteCount...)
        return decode(head, decoder, rest).advanced(by: head.byteCount)
    }

    @inline(__always)
    private mutating func findBody(of head: RequestHead, in bytes: Span<UInt8>) -> Step {
        guard case .length(let length) = head.body, bytes.count >= head.byteCount + length else {
            place = .body(head)
            return .needMore(byteCount: 0)
        }
        setBeginning()
        let end = head.byteCount + length
        return .request(head, body: head.byteCount..<end, byteCount: end)
    }

    private mutating func decode(
        _ head: RequestHead, _ decoder: ChunkedDecoder, _ bytes: Span<UInt8>
    ) -> Step {
        var decoder = decoder
        if decoder.position - decoder.decodedEnd > Self.toleratedWaste {
            decoder.compact(&message)
        }
        let known = message.count
        message.append(copying: bytes)
        do throws(RequestError) {
            switch try decoder.decode(&message) {
            case .needMore:
                place = .chunks(head, decoder)
                return .needMore(byteCount: bytes.count)
            case .complete(let end):
                message.removeLast(message.count - decoder.decodedEnd)
                place = .whole(head)
                return .assembled(head, byteCount: end - known)
            }
        } catch {
            return .refused(ProblemDetails(error), isHead: head.method == .head)
        }
    }
}

extension RequestAssembler {
    /// The receiver of a request says so what it has done with it.
    enum Delivery {
        /// The request is answered, or will be.
        case handled
        /// The request stays where it is: the whole connection goes to another loop.
        case left
    }

    /// The reason why no more requests are handed out.
    enum Stop {
        /// The rest of a request has to come.
        case needsMore
        /// Requests that are there have to wait, or none is left.
        case mustWait
        /// A request cannot be understood.
        case refused(ProblemDetails, isHead: Bool)
    }

    /// Gives whole requests to `deliver`, one after the other: the head, the bytes, and the place of
    /// the body in them.
    ///
    /// - Parameters:
    ///   - used: counts the bytes that are done with.
    ///   - mayGoOn: asked before each request, with the number of those before it.
    ///   - bodyLimit: tells how many bytes the body behind a head may have.
    @inline(__always)
    mutating func handOut(
        _ bytes: Span<UInt8>, used: inout Int, while mayGoOn: (Int) -> Bool,
        bodyLimit: (RequestHead, Span<UInt8>) -> Int,
        to deliver: (RequestHead, Span<UInt8>, Range<Int>) -> Delivery
    ) -> Stop {
        var number = 0
        while used < bytes.count || isMidway, mayGoOn(number) {
            number += 1
            let rest = bytes.extracting(used...)
            switch next(rest, bodyLimit: bodyLimit) {
            case .request(let head, let body, let count):
                guard deliver(head, rest, body) == .handled else { return .mustWait }
                used += count
            case .assembled(let head, let count):
                let message = takeMessage()
                used += count
                let body = head.byteCount..<message.count
                guard deliver(head, message.span, body) == .handled else {
                    putBack(head, message)
                    return .mustWait
                }
            case .needMore(let count):
                used += count
                return .needsMore
            case .refused(let problem, let isHead): return .refused(problem, isHead: isHead)
            }
        }
        return .mustWait
    }
}

extension RequestAssembler.Step {
    /// The same step, seen from an earlier byte.
    fileprivate func advanced(by count: Int) -> Self {
        switch self {
        case .assembled(let head, let used): .assembled(head, byteCount: used + count)
        case .needMore(let used): .needMore(byteCount: used + count)
        case .request, .refused: self
        }
    }
}

/// Those of the limits that a single request meets.
struct RequestBounds: Sendable, BitwiseCopyable {
    var head: RequestLimits
    var bodyByteCount: Int

    init(_ limits: HTTPLimits) {
        head = RequestLimits()
        head.headByteCount = limits.headByteCount
        head.fieldCount = limits.fieldCount
        head.targetByteCount = limits.targetByteCount
        bodyByteCount = limits.bodyByteCount
    }
}

extension ProblemDetails {
    /// A request that was refused before it was understood.
    init(_ error: RequestError) {
        self.init(.init(code: error.status), code: error.code, detail: error.detail)
    }

    /// An expectation other than `100-continue` (RFC 9110 §10.1.1).
    static let unknownExpectation = ProblemDetails(
        .expectationFailed, code: "unknown-expectation",
        detail: "Only 100-continue can be expected.")
}
