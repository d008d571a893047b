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
/// A connection holds one of these: its fields are as small as they can be.
struct ConnectionMachine {
    /// Counts the requests, so that an answer finds the one it is for.
    private(set) var serial: UInt64 = 0
    private var times: ConnectionTimes
    /// The count of bytes that were dropped while lingering.
    private var droppedByteCount: UInt32 = 0
    /// The turn of the loop in which requests that had waited were last handed out.
    private var lastHandOut = UInt32.max
    private var affinity = LoopAffinity()
    private(set) var phase = ConnectionPhase.reading
    private(set) var request: RequestTraits = []
    private var part = RequestPart.nothing
    private var input: InputTraits = []
    private var output: OutputTraits = []
    private var fate = ConnectionFate.stays
    /// The events that the loop was last asked to tell of.
    private var toldInterest = ToldInterest()

    init(now: Instant, expiry: Instant = Instant(nanoseconds: .max), hasEnded: Bool = false) {
        times = ConnectionTimes(now: now, expiry: expiry)
        if hasEnded { input.insert(.hasEnded) }
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
        if output.contains(.tellsClosed), !output.contains(.isDirty) {
            output.remove(.tellsClosed)
            return .tellClosed
        }
        if let step = nextSend(isQueued: isQueued) { return step }
        if phase == .ending { return input.isUnread && !input.hasEnded ? .linger : .close }
        if phase == .reading, fate == .leaves { return .leave(for: affinity.target) }
        if isDraining, isIdle { return .close }
        if isAbandoned { return .close }
        if output.remove(.tellsDrained) != nil, phase == .streaming { return .tellDrained }
        return nextHandOut(in: turn)
    }

    /// The next step of sending, as long as something is left to send.
    private mutating func nextSend(isQueued: Bool) -> ConnectionStep? {
        let waitsForRoom = output.intersection([.isBlocked, .hasRoom]) == .isBlocked
        if output.contains(.isUncoded), !waitsForRoom {
            output.remove(.isUncoded)
            return .encode
        }
        guard isQueued || phase == .sendingFile else { return nil }
        return waitsForRoom ? .wait : isQueued ? .flush : .sendFile
    }

    /// The step that goes on with requests that have waited: once a turn, and then the other
    /// connections have theirs.
    private mutating func nextHandOut(in turn: UInt32) -> ConnectionStep {
        guard input.contains(.hasRequests), takesRequests,
            output.isDisjoint(with: [.isDirty, .isPostponed])
        else { return .wait }
        guard lastHandOut != turn else {
            output.insert(.isPostponed)
            return .postpone
        }
        lastHandOut = turn
        handsOut()
        return .handOut
    }

    // MARK: Questions

    /// The next request may be handed out now.
    var takesRequests: Bool {
        phase == .reading && fate == .stays && !output.contains(.isBlocked)
    }

    /// Bytes behind the present request are read, now or later.
    var takesInput: Bool {
        phase != .ending && !request.contains(.isLast)
    }

    /// Nothing is under way, and nothing but a further request can follow.
    var isAtRest: Bool {
        phase == .reading && part == .nothing && input.isEmpty && output.isEmpty && fate == .stays
    }

    /// The client waits for nothing. A connection that is written at the end of the turn
    /// may have an answer that waits for that, or requests.
    var isIdle: Bool {
        phase == .reading && part == .nothing && !input.contains(.hasRequests) && fate == .stays
            && output.isDisjoint(with: [.isBlocked, .isDirty, .isPostponed])
    }

    /// The client has ended its side, and wants nothing more of what it has asked.
    var isAbandoned: Bool {
        guard input.hasEnded, !input.contains(.hasRequests) else { return false }
        switch phase {
        case .reading: return output.isDisjoint(with: [.isBlocked, .isPostponed, .isDirty])
        case .handling:
            return request.contains(.endsWithInput)
                && output.isDisjoint(with: [.isBlocked, .isDirty])
        case .streaming, .lingering: return true
        case .sendingFile, .ending, .closed: return false
        }
    }

    /// The events that the loop is to tell of, where these are others than the last time.
    mutating func takeInterest() -> Interest? { toldInterest.change(to: interest) }

    /// The loop should tell of this.
    var interest: Interest {
        var interest: Interest = output.contains(.isBlocked) ? .write : []
        switch phase {
        case .reading, .handling, .sendingFile:
            if takesInput, fate == .stays, input.isDisjoint(with: [.hasEnded, .isFull]) {
                interest.insert(.read)
            } else if phase == .handling, !input.hasEnded,
                request.isSuperset(of: [.isLast, .endsWithInput])
            {
                interest.insert(.peerClosed)
            }
        case .streaming: interest.insert(.peerClosed)
        case .lingering: if !input.hasEnded { interest.insert(.read) }
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
        guard output == .isDirty, fate == .stays else { return false }
        switch phase {
        case .streaming: return !input.hasEnded && toldInterest == ToldInterest(.peerClosed)
        case .reading:
            return part == .nothing && input.isEmpty && toldInterest == ToldInterest(.read)
        case .handling, .sendingFile, .ending, .lingering, .closed: return false
        }
    }

    var isBlocked: Bool { output.contains(.isBlocked) }
    var isDirty: Bool { output.contains(.isDirty) }
    /// The queue may be sent with those of other connections.
    var maySendTogether: Bool { phase != .closed && !output.contains(.isBlocked) }
    /// Requests are left for the end of the turn: those before them were enough.
    var mayGoOn: Bool { takesRequests && input.contains(.hasRequests) }
    var takesChunks: Bool { !request.contains(.isHTTP10) }
    var isCompressed: Bool { request.contains(.isCompressed) }
    var hasContinued: Bool { request.contains(.hasContinued) }
    var hasEnded: Bool { input.hasEnded }
    var expiry: Instant { times.expiry }

    // MARK: Time

    /// The step for what is overdue at `now`, if anything is. `isFat`: more waits for a client that
    /// does not read than may.
    func overdue(at now: Instant, _ limits: HTTPLimits, isFat: Bool = false) -> ConnectionStep? {
        func has(_ duration: Duration, passedSince start: Instant) -> Bool {
            now >= start.advanced(by: duration)
        }
        if isBlocked, phase != .closed, isFat || times.isReaderSlow(at: now, limits) {
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
            return isIdle && isOld ? .close : nil
        case .head:
            return has(limits.headDuration, passedSince: times.began) ? .refuseSlowRequest : nil
        case .body:
            let isLate =
                has(limits.bodyDuration, passedSince: times.activity)
                || has(limits.requestDuration, passedSince: times.began)
            return isLate ? .refuseSlowRequest : nil
        }
    }

    // MARK: Events: bytes come

    /// Bytes have come, in the phase that this returns: the requests that have waited are handed out
    /// now, if any may be. While the connection lingers bytes are counted, up to a bound, and dropped.
    @discardableResult
    mutating func received(
        _ count: Int, at now: Instant, _ limits: HTTPLimits
    ) -> ConnectionPhase {
        times.received(at: now)
        if takesRequests { handsOut() }
        guard phase == .lingering else { return phase }
        droppedByteCount = UInt32(clamping: Int(droppedByteCount) + count)
        if droppedByteCount > limits.lingerByteCount { fate = .exhausted }
        return phase
    }

    /// The requests that have waited are handed out now.
    mutating func handsOut() {
        input.remove([.hasRequests, .isFull])
    }

    /// Requests have to wait; `isFull` where no more may.
    mutating func requestsWait(isFull: Bool) {
        input.insert(isFull ? [.hasRequests, .isFull] : .hasRequests)
    }

    /// Bytes have come that no one will read.
    mutating func inputIsLeft() {
        input.insert(.isUnread)
    }

    /// A request has come in part.
    mutating func requestCame(inPart part: RequestPart) {
        precondition(phase == .reading, "A request is read once the one before is answered.")
        if self.part == .nothing { times.began(at: times.activity) }
        self.part = part
    }

    /// The client was told to go on with the body.
    mutating func continued() {
        request.insert(.hasContinued)
    }

    /// The client has ended its side. What it has asked is still answered.
    mutating func peerEnded() -> ConnectionStep {
        input.insert(.hasEnded)
        return isAbandoned ? .close : .wait
    }

    // MARK: Events: requests and answers

    /// A request is handed out, under the number that this returns.
    mutating func requestBegan(_ traits: RequestTraits, isDraining: Bool) -> UInt64 {
        precondition(phase == .reading, "A connection has one request at a time.")
        phase = .handling
        part = .nothing
        request = traits
        if isDraining || times.isExpired { request.insert(.isLast) }
        serial += 1
        return serial
    }

    /// The request is answered without its body, which may come or not.
    mutating func bodyWasRefused() {
        request.insert(.isLast)
        input.insert(.isUnread)
    }

    /// The request of this number is held for nothing but its client, which may have gone by now.
    mutating func heldForClient(_ serial: UInt64) -> ConnectionStep {
        guard awaitsAnswer(serial) else { return .wait }
        request.insert(.endsWithInput)
        return isAbandoned ? .close : .wait
    }

    /// An answer is about to be written: it is the last one where the server shuts down.
    mutating func answerBegins(isDraining: Bool) {
        precondition(phase == .handling, "An answer has a request.")
        if isDraining { request.insert(.isLast) }
    }

    /// The answer is written.
    mutating func answered() {
        precondition(phase == .handling || phase == .sendingFile, "An answer has a request.")
        phase = request.contains(.isLast) ? .ending : .reading
        request.remove([.hasContinued, .endsWithInput])
    }

    /// The head of an answer is written whose body is a file.
    mutating func fileBegan() {
        precondition(phase == .handling, "A file answers a request.")
        phase = .sendingFile
    }

    /// The head of a stream is written.
    mutating func streamBegan(isCompressed: Bool, until expiry: Instant) {
        precondition(phase == .handling, "A stream answers a request.")
        phase = .streaming
        request.insert(isCompressed ? [.isLast, .isCompressed] : .isLast)
        if input.contains(.hasRequests) { input.insert(.isUnread) }
        handsOut()
        times.streamBegan(until: expiry)
    }

    /// Frames wait to be compressed.
    mutating func framesWait() {
        output.insert(.isUncoded)
    }

    /// More waits in the stream than is allowed.
    mutating func exceeded() {
        fate = .exhausted
    }

    /// The source of the stream wants to be told when all is sent.
    mutating func sourceAsks() {
        output.insert(.tellsDrained)
    }

    /// The last of a stream is queued.
    mutating func streamFinished() {
        precondition(phase == .streaming, "A stream is finished once.")
        phase = .ending
        input.insert(.isUnread)
        output.remove(.isUncoded)
        output.insert(.tellsClosed)
        if fate == .exhausted { fate = .stays }
    }

    /// A request was refused that cannot be understood, or waited for.
    mutating func refused() {
        precondition(phase == .reading, "A refusal comes before the request is handed out.")
        phase = .ending
        part = .nothing
        input = input.intersection(.hasEnded).union(.isUnread)
    }

    // MARK: Events: bytes go

    /// The socket has room.
    mutating func roomCame() {
        if output.contains(.isBlocked) { output.insert(.hasRoom) }
    }

    /// Bytes were sent, by a call that does not tell of the rest.
    mutating func sent(_ count: Int, at now: Instant, _ minimum: ReadingPace.Minimum) {
        times.taken(count, at: now, minimum)
    }

    /// The socket, or the file, has failed.
    mutating func lost() {
        fate = .lost
    }

    /// The queue was sent, as far as there was room. The source of a stream that had to wait is
    /// told once nothing is left.
    mutating func flushed(_ result: FlushResult, at now: Instant) {
        switch result {
        case .failed: fate = .lost
        case .blocked:
            output.remove(.hasRoom)
            guard output.insert(.isBlocked).inserted else { return }
            times.blocked(at: now)
        case .drained:
            if output.contains(.isBlocked), phase == .streaming { output.insert(.tellsDrained) }
            output.remove([.isBlocked, .hasRoom])
        }
    }

    /// All is said and sent, and the output is ended.
    mutating func lingers(at now: Instant) {
        precondition(phase == .ending, "A connection lingers after its last answer.")
        phase = .lingering
        times.began(at: now)
    }

    /// The connection goes on at the end of the turn.
    mutating func joinedTurn() {
        output.insert(.isDirty)
    }

    /// The end of the turn has come.
    mutating func leftTurn() {
        output.remove(.isDirty)
    }

    /// The next turn has come.
    mutating func nextTurnCame() {
        output.remove(.isPostponed)
    }

    // MARK: Events: other loops, and the end

    /// The next request is for another loop: a copy of it goes there once it is whole, or the
    /// connection before that.
    mutating func chooseRoute(to destination: LoopDestination, _ limits: HTTPLimits) {
        let limit = limits.forwardsBeforeHandover
        if affinity.chooseRoute(to: destination, limit: limit) == .move { fate = .leaves }
    }

    /// The rest of the next request is for another loop, which gets the connection.
    mutating func chooseLoop(_ index: Int) {
        affinity.setTarget(index)
        fate = .leaves
    }

    /// The request is answered on this loop.
    mutating func stayed() {
        affinity.stayed()
    }

    /// The server takes no new work.
    func drained() -> ConnectionStep {
        switch phase {
        case .reading: isIdle ? .close : .wait
        case .handling: .tellDraining
        case .streaming: .endStream(.draining)
        case .sendingFile, .ending, .lingering, .closed: .wait
        }
    }

    /// The descriptor is closed, or has gone to another loop.
    mutating func closed() {
        phase = .closed
    }
}
