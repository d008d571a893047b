internal import Bytes
internal import Gzip
internal import HTTPMessages
internal import HTTPTypes
internal import Sockets

/// Makes whole requests out of what a connection has received: head, then body, in one piece.
///
///     while bytes are left {
///         switch reader.next(bytes) {
///         case .head: reader.plan = …        // says how long the body may be
///         case .request(…): …                // the head is `reader.head`, until the next step
///         …
///
/// A pure value. A request that lies whole in the bytes is left where it is; one in chunks is
/// collected in a buffer of its own.
struct RequestReader: Sendable {
    /// The next thing that the bytes hold. Counts are from the start of the bytes that `next` was
    /// given: so many are used and not needed again.
    enum Step {
        /// A head is whole. `plan` is set before the next step.
        case head
        /// The request is whole: head and body are in `message` or, for nil, in the bytes used.
        case request(message: [UInt8]?, used: Int)
        /// The rest of the request has to come.
        case needMore(used: Int)
        /// The connection cannot go on. The problem is kept apart: it is large, and rare.
        indirect case refused(ProblemDetails)
    }

    private enum Place {
        case head, body
        case chunks(ChunkedDecoder)
    }

    /// Chunk sizes and extensions stay in the message up to so many bytes; then they are dropped.
    private static let toleratedWaste = 16 * 1024

    var plan = RequestPlan()
    private let limits: RequestLimits
    private let bodyLimit: Int
    private var parser: RequestParser
    private var place = Place.head
    /// The request that was under way is handed out; the next step begins another one.
    private var isAtEnd = false
    /// The head and what is decoded of its body, then what is not decoded yet.
    private var message: [UInt8] = []

    /// - Parameter bodyLimit: the bytes that a body may have whose plan does not say it.
    init(_ limits: RequestLimits, bodyLimit: Int) {
        self.limits = limits
        self.bodyLimit = bodyLimit
        parser = RequestParser(limits: limits)
    }

    /// The head of the request that is under way.
    var head: RequestHead { parser.head }

    /// `head` is whole, its body is not.
    var hasHead: Bool {
        if case .head = place { false } else { true }
    }

    /// Bytes were used that belong to a request that is not whole yet.
    var isMidway: Bool {
        if case .chunks = place { true } else { false }
    }

    /// The count of bytes of a message that are kept here.
    var messageByteCount: Int { message.count }

    /// The bytes of the plain body, at most.
    var mostBodyByteCount: Int { plan.bodyLimit ?? bodyLimit }

    /// The request that is under way is HEAD, as far as `bytes` tell: those that `next` was given
    /// last and did not use.
    func isHead(_ bytes: Span<UInt8>) -> Bool { !isAtEnd && parser.isHead(bytes) }

    /// The head under way as far as it has come, and perhaps more; `bytes` as in `isHead`.
    func headBytes(_ bytes: Span<UInt8>) -> [UInt8] {
        message.isEmpty
            ? [UInt8](copying: hasHead ? bytes.extracting(..<head.byteCount) : bytes) : message
    }

    /// Looks at `bytes`: all that was received and is not used yet.
    mutating func next(_ bytes: Span<UInt8>) -> Step {
        if isAtEnd {
            parser = RequestParser(limits: limits)
            isAtEnd = false
        }
        do throws(RequestError) {
            switch place {
            case .head:
                guard try parser.parse(bytes) else { return .needMore(used: 0) }
                guard !head.hasUnknownExpectation else { return .refused(.unknownExpectation) }
                place = .body
                return .head
            case .body: return try readBody(bytes)
            case .chunks(let decoder): return try decode(decoder, bytes, behind: 0)
            }
        } catch {
            return .refused(ProblemDetails(error))
        }
    }

    private mutating func readBody(_ bytes: Span<UInt8>) throws(RequestError) -> Step {
        let start = parser.head.byteCount
        guard !plan.refusesBody else { return end(nil, used: start) }
        switch parser.head.body {
        case .none: return end(nil, used: start)
        case .length(let length):
            guard length <= mostBodyByteCount else {
                return .refused(.bodyTooLarge(limit: mostBodyByteCount))
            }
            guard bytes.count - start >= length else { return .needMore(used: 0) }
            return end(nil, used: start + length)
        case .chunked:
            message = [UInt8](copying: bytes.extracting(..<start))
            let decoder = ChunkedDecoder(start: start, limit: mostBodyByteCount)
            return try decode(decoder, bytes.extracting(start...), behind: start)
        }
    }

    private mutating func end(_ message: [UInt8]?, used: Int) -> Step {
        place = .head
        isAtEnd = true
        return .request(message: message, used: used)
    }

    /// - Parameter start: so many bytes were used before these.
    private mutating func decode(
        _ decoder: ChunkedDecoder, _ bytes: Span<UInt8>, behind start: Int
    ) throws(RequestError) -> Step {
        var decoder = decoder
        if decoder.position - decoder.decodedEnd > Self.toleratedWaste {
            decoder.compact(&message)
        }
        let known = message.count
        message.append(copying: bytes)
        guard case .complete(let end) = try decoder.decode(&message) else {
            place = .chunks(decoder)
            return .needMore(used: start + bytes.count)
        }
        var whole: [UInt8] = []
        swap(&whole, &message)
        whole.removeLast(whole.count - decoder.decodedEnd)
        return self.end(whole, used: start + end - known)
    }
}

/// The bytes of requests that are not handed out yet, and how far they are understood; counted into
/// the memory budget for as long as they are kept.
final class PendingInput {
    /// The bytes from the first one of the oldest request that is not handed out.
    private(set) var bytes: [UInt8] = []
    var reader: RequestReader
    private let memory: MemoryBudget
    private let loopIndex: Int
    private var countedByteCount = 0

    init(_ reader: RequestReader, _ memory: MemoryBudget, ofLoop loopIndex: Int) {
        self.reader = reader
        self.memory = memory
        self.loopIndex = loopIndex
    }

    deinit {
        memory.add(.input, of: loopIndex, -countedByteCount)
    }

    /// The count of bytes that are kept, here and by the reader.
    var byteCount: Int { bytes.count + reader.messageByteCount }
    var isEmpty: Bool { bytes.isEmpty && !reader.isMidway }

    func append(_ more: Span<UInt8>) {
        bytes.append(copying: more)
        count()
    }

    /// Forgets bytes that are handed out.
    func removeFirst(_ used: Int) {
        precondition(used <= bytes.count, "No more is handed out than has come.")
        if used > 0 { bytes.removeFirst(used) }
        count()
    }

    private func count() {
        memory.add(.input, of: loopIndex, byteCount - countedByteCount)
        countedByteCount = byteCount
    }
}

extension RequestHead {
    /// A body may become so many times larger by taking off its coding, so that the work of reading
    /// it is in proportion to what was sent; JSON becomes five to twenty times larger.
    static let largestRatio = 100
    /// And as large as this in any case.
    static let leastInflatedByteCount = 64 * 1024

    /// Head and plain body of a request with Content-Encoding (RFC 9110 §8.4): `gzip` is taken off
    /// within the limit of bodies, `identity` is nothing.
    func decoded(in bytes: Span<UInt8>, limit: Int) throws(ProblemDetails) -> [UInt8] {
        var message = [UInt8](copying: bytes.extracting(..<byteCount))
        let coded = bytes.extracting(byteCount...)
        guard try isGzipped(in: bytes) else {
            message.append(copying: coded)
            return message
        }
        let inflated = max(Self.leastInflatedByteCount, Self.largestRatio * coded.count)
        do throws(DecompressionFailure) {
            message += try gunzip(coded, limit: min(limit, inflated))
        } catch {
            guard case .tooLong = error else { throw .malformedCoding }
            throw inflated < limit
                ? .bodyInflates(Self.largestRatio, limit: inflated) : .bodyTooLarge(limit: limit)
        }
        return message
    }

    /// The body has the coding gzip; throws where it has one that is not taken off.
    func isGzipped(in bytes: Span<UInt8>) throws(ProblemDetails) -> Bool {
        var codings: [String] = []
        forEachValue(.contentEncoding, in: bytes) {
            codings.append($0.string(in: bytes).lowercased())
        }
        switch codings.joined(separator: ", ") {
        case "identity", "": return false
        case "gzip", "x-gzip": return true
        default: throw .unknownCoding
        }
    }
}

extension ProblemDetails {
    /// A request that was refused before it was understood.
    init(_ error: RequestError) {
        self.init(
            .init(code: error.status), code: error.code, detail: error.detail,
            members: error.limit.map { [.number("limit", $0)] } ?? [])
    }

    /// An expectation other than `100-continue` (RFC 9110 §10.1.1).
    static let unknownExpectation = ProblemDetails(
        .expectationFailed, code: "unknown-expectation",
        detail: "Only 100-continue can be expected.")
    /// A body that is not what its Content-Encoding says.
    fileprivate static let malformedCoding = ProblemDetails(
        .badRequest, code: "malformed-content-coding",
        detail: "The body is not valid gzip data.")
}
