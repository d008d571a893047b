internal import Sockets

/// Where one connection stands: the part that decides, without a socket and without a clock of
/// its own. Bytes, answers and time are told to it; what to wait for and what is overdue is asked.
///
///     reading ── request ──▶ handling ── answer ──▶ reading
///                               └────── stream ──▶ streaming ── its end ──▶ reading
///     reading, the last answer sent ── unread input ──▶ lingering ──▶ closed
///     reading, the last answer sent ── no unread input ──▶ closed
///     any ── lost, overdue, or moved to another loop ──▶ closed
///
/// After a refusal, a stream and the answer to a last request, `isLast` keeps reading from going
/// on.
struct ConnectionState {
    /// What the connection is about.
    enum Phase: UInt8 {
        /// No request is out: none has begun, or one has come in part.
        case reading
        /// A request waits for its answer.
        case handling
        /// An answer without end is being sent.
        case streaming
        /// All is said; what the client still sends is dropped, until it ends its side.
        case lingering
        /// Nothing happens any more.
        case closed
    }

    /// What else is true of it.
    struct Flags: OptionSet {
        let rawValue: UInt32

        /// The first bytes of a request have come, not yet all of its head.
        static let hasPartialHead = Flags(rawValue: 1 << 0)
        /// A head has come whose body is still coming.
        static let hasPartialBody = Flags(rawValue: 1 << 1)
        /// The client has ended its side.
        static let inputEnded = Flags(rawValue: 1 << 2)
        /// No request is taken after the present one.
        static let isLast = Flags(rawValue: 1 << 3)
        /// Something waits for room in the socket.
        static let isBlocked = Flags(rawValue: 1 << 4)
        /// What waits behind the present request has reached its bound.
        static let isFull = Flags(rawValue: 1 << 5)
        /// The connection stands in the list of those to be written at the end of the turn.
        static let isDirty = Flags(rawValue: 1 << 6)
        /// The present request is HEAD: its answer has no body.
        static let isHead = Flags(rawValue: 1 << 7)
        /// The present request is HTTP/1.0.
        static let isHTTP10 = Flags(rawValue: 1 << 8)
        /// The client has been told to go on with its body.
        static let hasContinued = Flags(rawValue: 1 << 9)
        /// Frames of a compressed stream wait for room before they are compressed.
        static let hasUncoded = Flags(rawValue: 1 << 10)
        /// The source of the stream wants to be told when all is sent.
        static let awaitsRoom = Flags(rawValue: 1 << 14)
        /// The next request belongs to another loop, which gets the connection once all is sent.
        static let isLeaving = Flags(rawValue: 1 << 11)
        /// Bytes have come, or may come, that nobody will read: closing at once would reset.
        static let hasUnreadInput = Flags(rawValue: 1 << 12)
        /// More was dropped while lingering, or waits in a stream, than is allowed.
        static let isExhausted = Flags(rawValue: 1 << 13)
        /// Its answer is sent with those of other connections.
        static let isBatched = Flags(rawValue: 1 << 15)
        /// The connection stands in the list of those that go on in the next turn.
        static let isPostponed = Flags(rawValue: 1 << 16)
        /// The present request is held for nothing but its client: one that has ended its side has
        /// given it up.
        static let endsWithInput = Flags(rawValue: 1 << 17)
    }

    /// What time has brought.
    enum Overdue: Equatable {
        /// Kept long enough without a request, or lingered long enough: close.
        case idle
        /// A request has not come whole in time: 408.
        case slowRequest
        /// The client takes nothing, or too little: close.
        case slowReader
        /// A stream has reached its age.
        case streamAge
    }

    var phase = Phase.reading
    var flags: Flags = []
    /// When bytes were last received, or taken by the client while something waits.
    var activity: Instant
    /// When the present head began to come, or lingering began.
    var began: Instant
    /// When this connection, or its stream, has reached its age.
    var expiry = Instant(nanoseconds: .max)
    /// How fast the client takes what waits; only while something does.
    private var pace: ReadingPace
    /// How much was dropped while lingering.
    private var droppedByteCount: UInt32 = 0
    /// The turn of the loop in which requests that had waited were last handed out.
    private var lastResumption = UInt32.max

    init(now: Instant) {
        activity = now
        began = now
        pace = ReadingPace(since: now)
    }

    /// What the loop should tell.
    var interest: Interest {
        var interest: Interest = []
        switch phase {
        case .reading, .handling:
            if flags.isDisjoint(with: [.inputEnded, .isFull, .isLast, .isLeaving]) {
                interest.insert(.read)
            } else if phase == .handling, !flags.contains(.inputEnded),
                flags.isSuperset(of: [.isLast, .endsWithInput])
            {
                interest.insert(.peerClosed)
            }
        case .streaming: interest.insert(.peerClosed)
        case .lingering:
            if !flags.contains(.inputEnded) { interest.insert(.read) }
        case .closed: break
        }
        if flags.contains(.isBlocked) { interest.insert(.write) }
        return interest
    }

    /// Whether the next request may be handed out now.
    var takesRequests: Bool {
        phase == .reading && flags.isDisjoint(with: [.isLast, .isBlocked, .isLeaving])
    }

    /// Whether everything was said and sent, so that the connection can end.
    var isFinished: Bool {
        phase == .reading && flags.contains(.isLast) && !flags.contains(.isBlocked)
    }

    /// Whether the client waits for nothing. A connection that is written at the end of the turn may
    /// have an answer that waits for that, or requests.
    var isIdle: Bool {
        phase == .reading
            && flags.isDisjoint(with: [
                .hasPartialHead, .hasPartialBody, .isBlocked, .isLeaving, .isPostponed, .isDirty,
            ])
    }

    /// Whether the client has ended its side, and wants nothing more of what it has asked.
    var isAbandoned: Bool {
        guard flags.contains(.inputEnded) else { return false }
        switch phase {
        case .reading: return flags.isDisjoint(with: [.isBlocked, .isPostponed, .isDirty])
        case .handling:
            return flags.contains(.endsWithInput) && flags.isDisjoint(with: [.isBlocked, .isDirty])
        case .streaming, .lingering, .closed: return true
        }
    }

    /// Whether nothing is under way, and nothing but a further request can follow.
    var isAtRest: Bool {
        phase == .reading && flags.isSubset(of: [.isHead, .isHTTP10, .hasContinued])
    }

    /// Whether requests that have waited may be handed out in this turn of the loop: a connection
    /// goes on once a turn, and then the others have theirs.
    func mayResume(in turn: UInt32) -> Bool {
        lastResumption != turn
    }

    /// Requests that have waited are handed out in this turn.
    mutating func resumed(in turn: UInt32) {
        lastResumption = turn
    }

    /// Some of a request has come, and not all of it.
    mutating func requestIsPartial(headIsComplete: Bool, at now: Instant) {
        if flags.isDisjoint(with: [.hasPartialHead, .hasPartialBody]) { began = now }
        flags.remove([.hasPartialHead, .hasPartialBody])
        flags.insert(headIsComplete ? .hasPartialBody : .hasPartialHead)
    }

    /// A whole request is handed out.
    mutating func requestBegan(isHead: Bool, isHTTP10: Bool, isLast: Bool) {
        phase = .handling
        flags.remove([
            .hasPartialHead, .hasPartialBody, .isHead, .isHTTP10, .hasContinued, .endsWithInput,
        ])
        if isHead { flags.insert(.isHead) }
        if isHTTP10 { flags.insert(.isHTTP10) }
        if isLast { flags.insert(.isLast) }
    }

    /// Something waits for room in the socket.
    mutating func outputBlocked(at now: Instant) {
        guard !flags.contains(.isBlocked) else { return }
        flags.insert(.isBlocked)
        activity = now
        pace = ReadingPace(since: now)
    }

    /// The client has made room for bytes, and they are sent.
    mutating func outputTaken(_ count: Int, at now: Instant, _ minimum: ReadingPace.Minimum) {
        guard count > 0 else { return }
        activity = now
        pace.took(count, at: now, minimum)
    }

    /// All that waited has been sent. True where the source of a stream must be told so: it had
    /// to wait, or has asked for it.
    mutating func outputDrained() -> Bool {
        let tellsSource = !flags.isDisjoint(with: [.isBlocked, .awaitsRoom])
        flags.remove([.isBlocked, .awaitsRoom])
        return tellsSource
    }

    /// How the present request must be answered.
    var framing: AnswerFraming {
        AnswerFraming(
            isHead: flags.contains(.isHead), isHTTP10: flags.contains(.isHTTP10),
            isLast: flags.contains(.isLast))
    }

    /// Bytes go by, after all was said, that nobody reads: up to a bound.
    mutating func drop(_ count: Int, _ limits: HTTPLimits) {
        droppedByteCount = UInt32(clamping: Int(droppedByteCount) + count)
        if droppedByteCount > limits.lingerByteCount { flags.insert(.isExhausted) }
    }

    /// What is overdue at `now`, if anything. Where more waits for the client than may, the client is.
    func overdue(at now: Instant, _ limits: HTTPLimits, waitsTooMuch: Bool = false) -> Overdue? {
        if waitsTooMuch, flags.contains(.isBlocked) { return .slowReader }
        if flags.contains(.isBlocked), phase != .closed,
            now >= activity.advanced(by: limits.writeProgressDuration)
                || pace.isTooSlow(at: now, .init(limits))
        {
            return .slowReader
        }
        switch phase {
        case .handling, .closed: return nil
        case .streaming: return now >= expiry ? .streamAge : nil
        case .lingering:
            return now >= began.advanced(by: limits.lingerDuration) ? .idle : nil
        case .reading:
            if flags.contains(.hasPartialBody) {
                let isOverdue =
                    now >= activity.advanced(by: limits.bodyDuration)
                    || now >= began.advanced(by: limits.requestDuration)
                return isOverdue ? .slowRequest : nil
            }
            if flags.contains(.hasPartialHead) {
                return now >= began.advanced(by: limits.headDuration) ? .slowRequest : nil
            }
            let isOverdue = now >= activity.advanced(by: limits.idleDuration) || now >= expiry
            return isOverdue && isIdle ? .idle : nil
        }
    }
}
