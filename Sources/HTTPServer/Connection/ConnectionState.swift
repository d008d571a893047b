internal import HTTPMessages
internal import Sockets

// Without raw values: two that have them are compared by a generic call, and an access to the machine
// in which something is called would be checked at run time, as all others then are.

/// A connection's place in the diagram of `ConnectionMachine`.
enum ConnectionPhase {
    /// No request is out: none has begun, or one has come in part.
    case reading
    /// A request waits for its answer.
    case handling
    /// The head of an answer is written, its body is a file that is being sent.
    case sendingFile
    /// An answer without end is being sent.
    case streaming
    /// The last answer is written: the connection ends once all is sent.
    case ending
    /// All is said; input is dropped until the client ends its side.
    case lingering
    /// Nothing happens any more.
    case closed
}

/// The part of a request that has come, where it is not whole.
enum RequestPart {
    case nothing
    /// The first bytes, not yet all of the head.
    case head
    /// The head, not yet all of the body.
    case body
}

/// The end that a connection is bound for, besides that of its last answer.
enum ConnectionFate {
    case stays
    /// The next request belongs to another loop, which gets the connection once all is sent.
    case leaves
    /// More waits in the stream, or was dropped while lingering, than is allowed.
    case exhausted
    /// The socket has failed.
    case lost
}

/// The shell does this next, and asks again unless it is one that ends a run.
enum ConnectionStep: Equatable {
    /// Wait for the events that `interest` names. Ends a run.
    case wait
    /// Close the descriptor. Ends a run.
    case close
    /// Close one that waits for nothing, once a server is told that nothing is done of what it may be
    /// sending: that may go elsewhere. Ends a run.
    case dismiss
    /// Give the descriptor and the unread input to the loop of this index. Ends a run.
    case leave(for: Int)
    /// End the output, and take input until the client has read the last answer.
    case linger
    /// Compress the frames that wait, and queue what comes of them.
    case encode
    /// Send what is queued.
    case flush
    /// Send more of the file.
    case sendFile
    /// Hand out the requests that have waited.
    case handOut
    /// Hand out the requests that wait in the next turn: this one's others come first.
    case postpone
    /// Tell the source of the stream that all is sent.
    case tellDrained
    /// Tell the source of the finished stream that it is over.
    case tellClosed
    /// Finish the stream for a reason of the server's.
    case endStream(StreamEnd)
    /// Tell the holder of the request that the server shuts down.
    case tellDraining
    /// Answer 408: the request has not come whole in time.
    case refuseSlowRequest

    /// Nothing more is to be done now.
    var endsRun: Bool {
        switch self {
        case .wait, .close, .dismiss, .leave: true
        default: false
        }
    }
}

/// The traits of a request that its answer depends on.
struct RequestTraits: Sendable, BitwiseCopyable {
    /// The page that asks, as far as answers differ by it.
    let origin: RequestOrigin
    /// The answer has no body.
    let isHead: Bool
    let isHTTP10: Bool
    /// The connection ends with the answer to the request.
    var isLast: Bool
    /// The client has been told to go on with the request's body.
    var hasContinued: Bool
    /// The request is held for nothing but its client: one that has ended its side has given it up.
    var endsWithInput: Bool
    /// The answer depends on who asks.
    var variesByCaller: Bool

    /// Those of a request that is not understood, or not there yet.
    init(origin: RequestOrigin = .unshared, isHead: Bool = false, isLast: Bool = false) {
        self.origin = origin
        self.isHead = isHead
        self.isLast = isLast
        isHTTP10 = false
        hasContinued = false
        endsWithInput = false
        variesByCaller = false
    }

    init(_ head: RequestHead, from origin: RequestOrigin) {
        self.origin = origin
        // Matched, as a comparison of another module's cases is a call by their witness.
        isHead = if case .head = head.method { true } else { false }
        isHTTP10 = if case .http10 = head.version { true } else { false }
        isLast = !head.keepAlive
        hasContinued = false
        endsWithInput = false
        variesByCaller = false
    }
}

/// The times of one connection that its deadlines are counted from.
struct ConnectionTimes: BitwiseCopyable {
    /// The least that a client must take of what waits for it.
    struct LeastPace: BitwiseCopyable {
        /// In one period.
        let byteCount: UInt32
        let periodNanoseconds: Int64

        init(_ limits: HTTPLimits) {
            periodNanoseconds = limits.leastRateDuration.nanoseconds
            let seconds = Double(periodNanoseconds) / 1e9
            byteCount = UInt32(min(Double(limits.leastBytesPerSecond) * seconds, 4e9))
        }
    }

    /// The connection received bytes then, or its client took some of those that waited.
    var activity: Instant
    /// The connection, or its stream, has reached its age then.
    var expiry: Instant
    /// The present head began to come then, or lingering began.
    var began: Instant
    /// The client takes what waits at a pace: so many bytes since then, in the present period. A byte
    /// now and then shows that a client is there, but would keep a whole answer waiting for as long
    /// as it likes.
    private var periodStart: Instant
    /// A connection holds one of these: 4 GiB in a period are enough to be fast.
    private var byteCount: UInt32 = 0

    init(now: Instant, expiry: Instant) {
        activity = now
        began = now
        periodStart = now
        self.expiry = expiry
    }

    /// The connection has reached its age: it ends with the next answer.
    var isExpired: Bool { expiry <= activity }

    /// Something waits for the client from now on.
    mutating func blocked(at now: Instant) {
        activity = now
        periodStart = now
        byteCount = 0
    }

    /// The client has taken bytes of those that wait. A period that is over and had enough gives way
    /// to the next one; one that had too little stays, for the next question.
    mutating func taken(_ count: Int, at now: Instant, _ least: LeastPace) {
        guard count > 0 else { return }
        activity = now
        guard !isTooSlow(at: now, least) else { return }
        if isPeriodOver(at: now, least) { blocked(at: now) }
        byteCount = UInt32(clamping: Int(byteCount) + count)
    }

    /// A period is over in which the client has taken less than it must.
    func isTooSlow(at now: Instant, _ least: LeastPace) -> Bool {
        isPeriodOver(at: now, least) && byteCount < least.byteCount
    }

    private func isPeriodOver(at now: Instant, _ least: LeastPace) -> Bool {
        now.nanoseconds - periodStart.nanoseconds >= least.periodNanoseconds
    }
}

extension RequestTraits {
    /// Writes an answer behind `buffer`, in its storage; `lines` are those of every answer.
    @inline(__always)
    func answer(
        _ status: Int, lines: [UInt8], behind buffer: consuming [UInt8],
        _ fill: (inout ResponseWriter) -> Void
    ) -> [UInt8] {
        var writer = ResponseWriter(buffer)
        writer.omitsBody = isHead
        writer.variesByOrigin = origin != .unshared
        writer.status(status)
        writer.lines(lines)
        if isLast {
            writer.lines(Self.closeLine)
        } else if isHTTP10 {
            writer.lines(Self.keepAliveLine)
        }
        if variesByCaller { writer.lines(Self.callerLine) }
        fill(&writer)
        if !writer.hasEndedHead { end(&writer, status) }
        return writer.bytes
    }

    /// Ends a head without a body: with a length, unless the status says that there is none
    /// (RFC 9110 §8.6).
    private func end(_ writer: inout ResponseWriter, _ status: Int) {
        if status == 204 || status == 304 {
            writer.endHead()
        } else {
            writer.body([])
        }
    }

    private static let closeLine = [UInt8]("Connection: close\r\n".utf8)
    private static let callerLine = [UInt8]("Vary: Authorization, Cookie\r\n".utf8)
    private static let keepAliveLine = [UInt8]("Connection: keep-alive\r\n".utf8)
    /// The answer before the answer, for a client that waits before it sends its body (RFC 9110
    /// §15.2.1).
    static let continueBytes = [UInt8]("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}
