internal import Sockets

/// The state of one connection, and the part that decides: events in, steps out, without a socket
/// and without a clock of its own.
///
///     reading ── request ──▶ handling ── answer ──▶ reading, after the last one ending
///                               ├─ file ──▶ sending its file ── sent ──▶ as after an answer
///                               └─ stream ──▶ streaming ── finished ──▶ ending
///     reading ── refused ──▶ ending
///     ending, all sent ── the client may still send ──▶ lingering ──▶ closed
///     ending, all sent ── nothing is left unread ──▶ closed
///     any ── lost, overdue, or moved to another loop ──▶ closed
///
/// A connection holds one of these: its fields are small. Those that are set from outside are facts
/// of which nothing else follows.
struct ConnectionMachine {
    /// Counts the requests, so that an answer finds the one it is for.
    private(set) var serial: UInt64
    private var times: ConnectionTimes
    /// The count of bytes that were dropped while lingering.
    private var droppedByteCount: UInt32 = 0
    /// The turn of the loop in which requests that had waited were last handed out.
    private var lastHandOut = UInt32.max
    /// The events that the loop was last asked to tell of.
    private var toldInterest: Readiness = []
    /// The loop of the last request that had to be answered on another one.
    private var otherLoop: UInt16 = 0
    /// So many requests in a row have gone there; a bound of more than 255 counts as 255.
    private var forwardCount: UInt8 = 0
    private(set) var phase = ConnectionPhase.reading
    private(set) var request = RequestTraits()
    private var part = RequestPart.nothing
    var fate = ConnectionFate.stays

    // MARK: The bytes that come

    /// The client has ended its side.
    private(set) var hasEnded: Bool
    /// Requests wait behind the present one, or for another turn.
    private var hasRequests = false
    /// The requests that wait have reached their bound.
    private var isFull = false
    /// Bytes have come, or may come, that no one will read: closing at once would reset.
    var isUnread = false

    // MARK: The bytes that go

    /// Something waits for room in the socket.
    private(set) var isBlocked = false
    /// The socket has said that it has room for what waits.
    private var hasRoom = false
    /// The connection goes on at the end of the turn.
    var isDirty = false
    /// The connection goes on in the next turn.
    var isPostponed = false
    /// Frames of a compressed stream wait for room before they are compressed.
    var isUncoded = false
    /// The source of the stream wants to be told when all is sent.
    var tellsDrained = false
    /// The source of the stream has not been told yet that it is over.
    private var tellsClosed = false

    init(
        now: Instant, expiry: Instant = Instant(nanoseconds: .max), hasEnded: Bool = false,
        serial: UInt64 = 0
    ) {
        times = ConnectionTimes(now: now, expiry: expiry)
        (self.hasEnded, self.serial) = (hasEnded, serial)
    }

    // MARK: Decisions

    /// The next step, in the order that answers rely on: what was written is sent before anything
    /// else becomes of the connection.
    ///
    /// - Parameters:
    ///   - isQueued: bytes wait in the connection's queue.
    ///   - isDraining: the server takes no new work.
    ///   - turn: the turn of the loop.
    mutating func next(isQueued: Bool, isDraining: Bool, turn: UInt32) -> ConnectionStep {
        if phase == .closed { return .wait }
        if fate == .lost || fate == .exhausted { return .close }
        if isDraining, phase == .streaming { return .endStream(.draining) }
        if tellsClosed, !isDirty {
            tellsClosed = false
            return .tellClosed
        }
        if let step = nextSend(isQueued: isQueued) { return step }
        if phase == .ending { return isUnread && !hasEnded ? .linger : .close }
        if phase == .reading, fate == .leaves { return .leave(for: Int(otherLoop)) }
        if isDraining, isIdle { return .dismiss }
        if isAbandoned { return .close }
        if tellsDrained {
            tellsDrained = false
            if phase == .streaming { return .tellDrained }
        }
        return nextHandOut(in: turn)
    }

    /// The next step of sending, as long as something is left to send.
    private mutating func nextSend(isQueued: Bool) -> ConnectionStep? {
        let waitsForRoom = isBlocked && !hasRoom
        if isUncoded, !waitsForRoom {
            isUncoded = false
            return .encode
        }
        guard isQueued || phase == .sendingFile else { return nil }
        return waitsForRoom ? .wait : isQueued ? .flush : .sendFile
    }

    /// The step that goes on with requests that have waited: once a turn, and then the other
    /// connections have theirs.
    private mutating func nextHandOut(in turn: UInt32) -> ConnectionStep {
        guard mayGoOn, !isDirty, !isPostponed else { return .wait }
        guard lastHandOut != turn else {
            isPostponed = true
            return .postpone
        }
        lastHandOut = turn
        handsOut()
        return .handOut
    }

    // MARK: Questions

    /// The next request may be handed out now.
    var takesRequests: Bool {
        guard phase == .reading, fate == .stays else { return false }
        return !isBlocked
    }

    /// Requests are left for the end of the turn: those before them were enough.
    var mayGoOn: Bool { hasRequests ? takesRequests : false }

    /// Bytes behind the present request are read, now or later.
    var takesInput: Bool { phase != .ending && !request.isLast }

    /// The client waits for nothing. A connection that is written at the end of the turn
    /// may have an answer that waits for that, or requests.
    var isIdle: Bool {
        guard takesRequests, part == .nothing, !hasRequests, !isDirty else { return false }
        return !isPostponed
    }

    /// The client has ended its side, and wants nothing more of what it has asked.
    var isAbandoned: Bool {
        guard hasEnded, !hasRequests else { return false }
        switch phase {
        case .reading: return !isBlocked && !isPostponed && !isDirty
        case .handling: return request.endsWithInput && !isBlocked && !isDirty
        case .streaming, .lingering: return true
        case .sendingFile, .ending, .closed: return false
        }
    }

    /// The events that the loop is to tell of, where these are others than the last time.
    mutating func takeInterest() -> Readiness? {
        let interest = interest
        guard interest.rawValue != toldInterest.rawValue else { return nil }
        toldInterest = interest
        return interest
    }

    /// The loop should tell of this.
    var interest: Readiness {
        var interest: Readiness = isBlocked ? .write : []
        switch phase {
        case .reading, .handling, .sendingFile:
            if takesInput, fate == .stays, !hasEnded, !isFull {
                interest.insert(.read)
            } else if phase == .handling, !hasEnded, request.isLast, request.endsWithInput {
                interest.insert(.peerClosed)
            }
        case .streaming: interest.insert(.peerClosed)
        case .lingering: if !hasEnded { interest.insert(.read) }
        case .ending, .closed: break
        }
        return interest
    }

    /// Answers true while the request of this number is without its answer.
    func awaitsAnswer(_ serial: UInt64) -> Bool {
        phase == .handling && self.serial == serial
    }

    /// The answer to the last request of the connection is a stream, which runs.
    var isStreaming: Bool { phase == .streaming }

    /// A stream, or a client that waits for nothing, was only sent something: once that has gone,
    /// there is nothing else to do.
    var hasOnlySent: Bool {
        guard isDirty, !isBlocked, !isPostponed, !isUncoded, !tellsDrained, fate == .stays,
            !hasEnded
        else { return false }
        switch phase {
        case .streaming: return toldInterest.rawValue == Readiness.peerClosed.rawValue
        case .reading where part == .nothing:
            return hasRequests ? false : toldInterest.rawValue == Readiness.read.rawValue
        case .reading, .handling, .sendingFile, .ending, .lingering, .closed: return false
        }
    }

    /// The queue may be sent with those of other connections.
    var maySendTogether: Bool { phase != .closed && !isBlocked }
    var expiry: Instant { times.expiry }

    // MARK: Time

    /// The step for what is overdue at `now`, if anything is. `isFat`: more waits for a client that
    /// does not read than may.
    func overdue(at now: Instant, _ limits: HTTPLimits, isFat: Bool = false) -> ConnectionStep? {
        func has(_ duration: Duration, passedSince start: Instant) -> Bool {
            now >= start.advanced(by: duration)
        }
        if isBlocked, phase != .closed, isFat || isReaderSlow(at: now, limits) {
            return .close
        }
        switch phase {
        case .handling, .sendingFile, .ending, .closed: return nil
        case .streaming: return now >= expiry ? .endStream(.age) : nil
        case .lingering:
            return has(limits.lingerDuration, passedSince: times.began) ? .close : nil
        case .reading: break
        }
        switch part {
        case .nothing:
            let isOld = has(limits.idleDuration, passedSince: times.activity) || now >= expiry
            return isIdle && isOld ? .dismiss : nil
        case .head:
            return has(limits.headDuration, passedSince: times.began) ? .refuseSlowRequest : nil
        case .body:
            let isLate =
                has(limits.bodyDuration, passedSince: times.activity)
                || has(limits.requestDuration, passedSince: times.began)
            return isLate ? .refuseSlowRequest : nil
        }
    }

    /// The client takes nothing, or too little, of what waits for it.
    private func isReaderSlow(at now: Instant, _ limits: HTTPLimits) -> Bool {
        now >= times.activity.advanced(by: limits.writeProgressDuration)
            || times.isTooSlow(at: now, .init(limits))
    }

    // MARK: Events: bytes come

    /// Bytes have come, in the phase that this returns: the requests that have waited are handed out
    /// now, if any may be. While the connection lingers bytes are counted, up to a bound, and dropped.
    @discardableResult
    mutating func received(
        _ count: Int, at now: Instant, _ limits: HTTPLimits
    ) -> ConnectionPhase {
        times.activity = now
        if takesRequests { handsOut() }
        guard phase == .lingering else { return phase }
        droppedByteCount = UInt32(clamping: Int(droppedByteCount) + count)
        if droppedByteCount > limits.lingerByteCount { fate = .exhausted }
        return phase
    }

    /// The requests that have waited are handed out now.
    mutating func handsOut() {
        hasRequests = false
        isFull = false
    }

    /// Requests have to wait; `isFull` where no more may.
    mutating func requestsWait(isFull: Bool) {
        hasRequests = true
        self.isFull = self.isFull || isFull
    }

    /// A request has come in part.
    mutating func requestCame(inPart part: RequestPart) {
        precondition(phase == .reading, "A request is read once the one before is answered.")
        if self.part == .nothing { times.began = times.activity }
        self.part = part
    }

    /// The client has ended its side. What it has asked is still answered.
    mutating func peerEnded() -> ConnectionStep {
        hasEnded = true
        return isAbandoned ? .close : .wait
    }

    // MARK: Events: requests and answers

    /// A request is handed out, under the number that this returns.
    mutating func requestBegan(_ traits: RequestTraits, isDraining: Bool) -> UInt64 {
        precondition(phase == .reading, "A connection has one request at a time.")
        phase = .handling
        part = .nothing
        request = traits
        if isDraining { request.isLast = true }
        if times.isExpired { request.isLast = true }
        serial += 1
        return serial
    }

    /// The answer to the present request depends on who asks.
    mutating func varyByCaller() { request.variesByCaller = true }

    /// The client is told to go on with the body.
    mutating func continued() { request.hasContinued = true }

    /// The request is answered without its body, which may come or not.
    mutating func bodyWasRefused() {
        request.isLast = true
        isUnread = true
    }

    /// The request of this number is held for nothing but its client, which may have gone by now.
    mutating func heldForClient(_ serial: UInt64) -> ConnectionStep {
        guard awaitsAnswer(serial) else { return .wait }
        request.endsWithInput = true
        return isAbandoned ? .close : .wait
    }

    /// An answer to the request of this number is about to be written, unless it has one: it is the
    /// last one where the server shuts down.
    mutating func beginAnswer(to serial: UInt64, isDraining: Bool) -> Bool {
        guard phase == .handling, self.serial == serial else { return false }
        if isDraining { request.isLast = true }
        return true
    }

    /// The answer is written.
    mutating func answered() {
        precondition(phase == .handling || phase == .sendingFile, "An answer has a request.")
        phase = request.isLast ? .ending : .reading
        request.hasContinued = false
        request.endsWithInput = false
    }

    /// The head of an answer is written whose body is a file.
    mutating func fileBegan() {
        precondition(phase == .handling, "A file answers a request.")
        phase = .sendingFile
    }

    /// The head of a stream is written.
    mutating func streamBegan(until expiry: Instant) {
        precondition(phase == .handling, "A stream answers a request.")
        phase = .streaming
        request.isLast = true
        if hasRequests { isUnread = true }
        handsOut()
        times.expiry = expiry
    }

    /// The last of a stream is queued.
    mutating func streamFinished() {
        precondition(phase == .streaming, "A stream is finished once.")
        phase = .ending
        isUnread = true
        isUncoded = false
        tellsClosed = true
        if fate == .exhausted { fate = .stays }
    }

    /// A request was refused that cannot be understood, or waited for.
    mutating func refused() {
        precondition(phase == .reading, "A refusal comes before the request is handed out.")
        phase = .ending
        part = .nothing
        handsOut()
        isUnread = true
    }

    // MARK: Events: bytes go

    /// The socket has room.
    mutating func roomCame() { hasRoom = isBlocked }

    /// Bytes were sent, by a call that does not tell of the rest.
    mutating func sent(_ count: Int, at now: Instant, _ least: ConnectionTimes.LeastPace) {
        times.taken(count, at: now, least)
    }

    /// The queue was sent, as far as there was room. The source of a stream that had to wait is
    /// told once nothing is left.
    mutating func flushed(_ result: FlushResult, at now: Instant) {
        hasRoom = false
        switch result {
        case .failed: fate = .lost
        case .blocked:
            if !isBlocked { times.blocked(at: now) }
            isBlocked = true
        case .drained:
            if isBlocked, phase == .streaming { tellsDrained = true }
            isBlocked = false
        }
    }

    /// All is said and sent, and the output is ended.
    mutating func lingers(at now: Instant) {
        precondition(phase == .ending, "A connection lingers after its last answer.")
        phase = .lingering
        times.began = now
    }

    // MARK: Events: other loops, and the end

    /// The next request is for another loop: a copy of it goes there once it is whole. Or the
    /// connection moves there before that, for a stream, or where the client has asked for that
    /// loop as often in a row as requests are forwarded. For nil it is answered on this loop: those
    /// to another one are counted anew.
    mutating func chooseRoute(to destination: LoopDestination?, _ limits: HTTPLimits) {
        guard let destination else { return forwardCount = 0 }
        setOtherLoop(destination.loopIndex)
        if destination.isStream || Int(forwardCount) >= min(limits.forwardsBeforeHandover, 255) {
            fate = .leaves
        } else {
            forwardCount += 1
        }
    }

    /// The rest of the next request is for another loop, which gets the connection.
    mutating func leaves(for index: Int) {
        setOtherLoop(index)
        fate = .leaves
    }

    private mutating func setOtherLoop(_ index: Int) {
        precondition((0...Int(UInt16.max)).contains(index), "A server has at most 65,536 loops.")
        if index != Int(otherLoop) { forwardCount = 0 }
        otherLoop = UInt16(index)
    }

    /// The server takes no new work.
    func drained() -> ConnectionStep {
        switch phase {
        case .reading: isIdle ? .dismiss : .wait
        case .handling: .tellDraining
        case .streaming: .endStream(.draining)
        case .sendingFile, .ending, .lingering, .closed: .wait
        }
    }

    /// The descriptor is closed, or has gone to another loop.
    mutating func closed() { phase = .closed }
}
