internal import HTTPMessages
internal import HTTPTypes
internal import Sockets

/// The exchanges of one connection, one after the other: the state of the connection, what the
/// present request waits for, and the bytes of the answers that are not sent yet.
///
/// While the connection's requests are handed out, answers are written into the loop's buffer, and
/// from then on into the queue.
struct Exchanges {
    var machine: ConnectionMachine
    private var queue = WriteQueue()
    private(set) var awaited = Awaited.nothing

    init(_ machine: ConnectionMachine) {
        self.machine = machine
    }

    /// The count of bytes that are queued.
    var byteCount: Int { queue.byteCount }
    /// The count of bytes that wait, queued or not yet compressed.
    var unsentByteCount: Int {
        guard machine.isCompressed else { return queue.byteCount }
        return queue.byteCount + (awaited.stream?.uncodedByteCount ?? 0)
    }
    /// The bytes of memory that are held here and counted nowhere else, roughly.
    var uncountedByteCount: Int {
        queue.uncountedByteCount + (awaited.stream?.codingByteCount ?? 0)
    }

    /// The present request's name on the loop that answers it.
    func forwardKey(of connection: ConnectionKey, onLoop index: Int) -> ForwardKey? {
        guard case .loop(let target) = awaited else { return nil }
        return ForwardKey(
            target: target, origin: Int32(index), connection: connection, serial: machine.serial)
    }

    /// Requests came with the connection from another loop.
    mutating func requestsWait(_ key: ConnectionKey, _ output: TurnOutput) {
        machine.requestsWait(isFull: false)
        goOnLater(key, output)
    }

    /// The next step of the connection, once what is queued is sent as far as there is room; before
    /// it waits, the events that it waits for where these are others than the last time.
    mutating func next(
        to socket: borrowing Descriptor, in context: LoopContext, on loop: isolated EventLoop
    ) -> (step: ConnectionStep, interest: Interest?) {
        var step = nextStep(in: context)
        while step == .flush {
            flush(to: socket, in: context, on: loop)
            step = nextStep(in: context)
        }
        return (step, step == .wait ? machine.takeInterest() : nil)
    }

    private mutating func nextStep(in context: LoopContext) -> ConnectionStep {
        machine.next(
            isQueued: !queue.isEmpty, isDraining: context.isDraining, turn: context.turn)
    }

    /// The next step of a connection that was in the turn's list.
    mutating func leaveTurn(
        to socket: borrowing Descriptor, in context: LoopContext, on loop: isolated EventLoop
    ) -> (step: ConnectionStep, interest: Interest?) {
        machine.leftTurn()
        return next(to: socket, in: context, on: loop)
    }

    // MARK: Writing

    /// The count of bytes that are queued, if the next request may be handed out now. Mutating, like
    /// `stage` and `placeOfAnswer`, for the compiler alone: it copies all exchanges otherwise.
    mutating func byteCountBeforeRequest() -> Int? {
        machine.takesRequests ? queue.byteCount : nil
    }

    /// Requests were handed out: those that are left wait, perhaps for the end of the turn. Returns
    /// the problem that the connection is refused for, if any.
    mutating func handedOut(
        until stop: RequestAssembler.Stop, _ intake: inout RequestIntake, _ key: ConnectionKey,
        in context: LoopContext
    ) -> (problem: ProblemDetails, isHead: Bool)? {
        let refusal = intake.keepRest(after: stop, &machine, context.shared)
        if refusal == nil, machine.mayGoOn { goOnLater(key, context.output) }
        return refusal
    }

    /// Has the connection go on at the end of the turn.
    mutating func goOnLater(_ key: ConnectionKey, _ output: TurnOutput) {
        guard !machine.isDirty else { return }
        machine.joinedTurn()
        output.join(key)
    }

    mutating func write(_ bytes: Span<UInt8>, _ key: ConnectionKey, _ output: TurnOutput) {
        if output.isWriting(key) { return output.write(bytes) }
        queue.append(copying: bytes)
        goOnLater(key, output)
    }

    /// Writes the head of an answer, and the body that `fill` adds.
    @inline(__always)
    private mutating func write(
        _ status: Int, _ framing: AnswerFraming, lines: [UInt8], _ key: ConnectionKey,
        _ output: TurnOutput, _ fill: (inout ResponseWriter) -> Void
    ) {
        if output.isWriting(key) { return output.answer(status, framing, lines: lines, fill) }
        queue.append(SharedBytes(framing.answer(status, lines: lines, behind: [], fill)))
        goOnLater(key, output)
    }

    /// Adds shared bytes by reference, unless copying them behind the buffer saves a system call.
    private mutating func write(
        _ bytes: SharedBytes, _ range: Range<Int>, _ key: ConnectionKey, _ output: TurnOutput
    ) {
        if output.isWriting(key) {
            if range.count <= Self.copiedByteCount {
                return output.write(bytes.bytes.span.extracting(range))
            }
            output.moveBuffer(to: &queue)
        }
        queue.append(bytes, range)
        goOnLater(key, output)
    }

    /// Shared bytes up to this size are copied behind what stands before them; more are sent from
    /// where they are, however many connections they go to.
    static let copiedByteCount = 16 * 1024

    // MARK: Answers

    /// Tells a client that waits with the body to go on.
    mutating func tellToContinue(_ key: ConnectionKey, _ output: TurnOutput) {
        machine.continued()
        let bytes = AnswerFraming.continueBytes
        write(bytes.span, key, output)
    }

    /// The present request is answered by the loop of this index.
    mutating func awaitLoop(_ index: Int) {
        awaited = .loop(Int32(index))
    }

    /// Has the observer told when the client goes before the answer to the request `serial`.
    /// Where it has gone already, the connection goes on, and closes, at the end of the turn.
    mutating func observe(
        _ serial: UInt64, _ observer: any ExchangeObserver, endsWithInput: Bool,
        _ key: ConnectionKey, _ output: TurnOutput
    ) {
        guard machine.awaitsAnswer(serial) else { return }
        awaited = .observer(observer)
        if endsWithInput, machine.heldForClient(serial) == .close { goOnLater(key, output) }
    }

    /// Writes the answer of the request `serial`, unless it has one.
    @inline(__always)
    mutating func answer(
        _ serial: UInt64, _ status: Int, _ rest: AnswerRest, _ key: ConnectionKey,
        in context: LoopContext, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard machine.awaitsAnswer(serial) else { return }
        machine.answerBegins(isDraining: context.isDraining)
        let framing = machine.framing
        let lines = context.commonLines(for: framing.origin, on: loop)
        write(status, framing, lines: lines, key, context.output, fill)
        if case .body(let body) = rest { write(body, 0..<body.count, key, context.output) }
        finishAnswer(rest)
    }

    /// Queues the answer to the request `serial` that another loop has given.
    mutating func answer(
        _ serial: UInt64, _ answer: ForwardedAnswer, _ key: ConnectionKey, _ output: TurnOutput
    ) {
        guard machine.awaitsAnswer(serial) else { return }
        queue.append(SharedBytes(answer.head))
        let rest = answer.takeRest()
        if case .body(let body) = rest { queue.append(body) }
        finishAnswer(rest)
        goOnLater(key, output)
    }

    private mutating func finishAnswer(_ rest: AnswerRest) {
        awaited = .nothing
        switch rest {
        case .nothing, .body: machine.answered()
        case .file(let transfer):
            machine.fileBegan()
            awaited = .file(transfer)
        }
    }

    /// Refuses what cannot be understood or waited for: the last answer of the connection.
    mutating func refuse(
        _ problem: ProblemDetails, isHead: Bool, of intake: RequestIntake, _ key: ConnectionKey,
        in context: LoopContext, on loop: isolated EventLoop
    ) {
        machine.refused()
        let framing = AnswerFraming(
            isHead: isHead, isHTTP10: false, isLast: true,
            origin: context.shared.sharing.map { intake.origin($0) } ?? .unshared)
        let lines = context.commonLines(for: framing.origin, on: loop)
        write(problem.status.code, framing, lines: lines, key, context.output, problem.fill)
    }

    /// Nothing waits for the request any more; returns what did.
    mutating func takeAwaited() -> Awaited {
        defer { awaited = .nothing }
        return awaited
    }

    // MARK: Streams

    /// Answers the request `serial` with a stream.
    mutating func startStream(
        _ serial: UInt64, _ status: Int, _ stream: Stream, until expiry: Instant,
        _ key: ConnectionKey, in context: LoopContext, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        precondition(machine.awaitsAnswer(serial), "A stream answers a request that waits.")
        machine.streamBegan(isCompressed: stream.isCompressed, until: expiry)
        let framing = machine.framing
        let lines = context.commonLines(for: framing.origin, on: loop)
        write(status, framing, lines: lines, key, context.output) {
            stream.writeHead(to: &$0, inChunks: !framing.isHTTP10, fill)
        }
        awaited = .stream(stream)
        if stream.isCompressed, context.output.isWriting(key) {
            context.output.moveBuffer(to: &queue)
        }
        goOnLater(key, context.output)
    }

    /// Adds a frame to the stream: behind what was written before it, or to those that are compressed
    /// when there is room.
    mutating func send(_ frame: StreamFrame, _ key: ConnectionKey, in context: LoopContext) {
        precondition(machine.isStreaming, "Frames belong to a stream that runs.")
        let limit = context.limits.streamByteCount
        if machine.isCompressed {
            awaited.stream?.add(frame)
            machine.framesWait()
            goOnLater(key, context.output)
            if unsentByteCount > limit { machine.exceeded() }
        } else {
            let range = machine.takesChunks ? 0..<frame.chunk.count : frame.payloadRange
            write(frame.chunk, range, key, context.output)
            if byteCount > limit { machine.exceeded() }
        }
    }

    /// The fate of a frame that is offered to the stream: its client may be slow.
    mutating func offerFrame(waitingBehind most: Int) -> OutgoingStream.Offer {
        guard machine.isStreaming else { return .over }
        let byteCount = unsentByteCount
        guard machine.isBlocked || byteCount > most else { return .taken }
        if byteCount > 0 { machine.sourceAsks() }
        return .skipped
    }

    /// Compresses and queues the frames that wait, through a buffer of the loop's.
    mutating func encode(through output: TurnOutput) {
        awaited.stream?.encode(
            inChunks: machine.takesChunks, through: &output.codingBuffer, to: &queue)
    }

    /// Queues the end of the stream, with which the connection ends.
    mutating func finishStream(_ key: ConnectionKey, _ output: TurnOutput) {
        guard machine.isStreaming else { return }
        if output.isWriting(key) { output.moveBuffer(to: &queue) }
        awaited.stream?.finish(
            inChunks: machine.takesChunks, through: &output.codingBuffer, to: &queue)
        machine.streamFinished()
        goOnLater(key, output)
    }

    // MARK: Sending

    /// The place of an answer that was kept: with those of other connections, where nothing is
    /// before it.
    mutating func placeOfAnswer() -> Joining {
        machine.maySendAnswer && queue.isEmpty ? .joined : .stays
    }

    /// The place of a short answer: among those of other connections, or alone.
    enum Joining {
        case joined, stays
    }

    /// The connection after what it had to send was sent with that of others, or alone.
    enum Leaving {
        /// It was closed before.
        case closed
        /// Nothing is under way.
        case atRest
        /// Something is to be done.
        case busy
    }

    /// Puts an answer among those that are sent together, where nothing comes before or after it.
    mutating func joinAnswers() -> Joining {
        guard machine.isAtRest, queue.isEmpty else { return .stays }
        machine.batched()
        return .joined
    }

    /// Takes note of an answer that was sent together with those of other connections, with this
    /// result; for nil, sends it now. The rest is queued.
    mutating func leaveAnswers(
        _ bytes: Span<UInt8>, after result: IOResult?, to socket: borrowing Descriptor,
        in context: LoopContext, on loop: isolated EventLoop
    ) -> Leaving {
        guard machine.isBatched, machine.phase != .closed else { return .closed }
        machine.unbatched()
        if let result {
            machine.flushed(queue.appendRest(of: bytes, after: result), at: context.now(loop))
        } else {
            send(bytes, to: socket, in: context, on: loop)
        }
        return queue.isEmpty && machine.isAtRest ? .atRest : .busy
    }

    /// Sends the queue, as far as there is room.
    private mutating func flush(
        to socket: borrowing Descriptor, in context: LoopContext, on loop: isolated EventLoop
    ) {
        let before = queue.byteCount
        let result = queue.flush(to: socket, loop.system)
        let now = context.now(loop)
        machine.sent(before - queue.byteCount, at: now, context.leastPace)
        machine.flushed(result, at: now)
    }

    /// Sends bytes behind the queue; those that find no room are queued.
    mutating func send(
        _ bytes: Span<UInt8>, to socket: borrowing Descriptor, in context: LoopContext,
        on loop: isolated EventLoop
    ) {
        let result = queue.send(copying: bytes, to: socket, loop.system)
        machine.flushed(result, at: context.now(loop))
    }

    /// Takes note of queued bytes that were sent together with those of other connections. A stream
    /// with which nothing else is to be done leaves the turn, and is at rest.
    mutating func noteSent(
        _ result: IOResult?, at now: Instant, _ minimum: ReadingPace.Minimum, isDraining: Bool
    ) -> Leaving {
        switch result {
        case .bytes(let count):
            queue.removeSent(count)
            machine.sent(count, at: now, minimum)
        case .failed: machine.lost()
        case .wouldBlock, .closed, nil: break
        }
        guard machine.hasOnlySent, queue.isEmpty, !isDraining else { return .busy }
        machine.leftTurn()
        return .atRest
    }

    /// Sends more of the file that the answer ends with.
    mutating func sendFile(
        to socket: borrowing Descriptor, _ key: ConnectionKey, in context: LoopContext,
        on loop: isolated EventLoop
    ) {
        guard case .file(let transfer) = awaited else { return machine.lost() }
        let now = context.now(loop)
        switch transfer.send(to: socket, loop.system) {
        case .complete:
            machine.flushed(.drained, at: now)
            finishAnswer(.nothing)
            goOnLater(key, context.output)
        case .waiting(let moved):
            machine.sent(moved, at: now, context.leastPace)
            machine.flushed(.blocked, at: now)
        case .failed: machine.lost()
        }
    }

    /// Adds the queue to what is sent together, where it is one piece and nothing waits for room.
    mutating func stage(in sends: inout SendBatch, to socket: borrowing Descriptor) {
        if machine.maySendTogether { _ = sends.add(queue, to: socket) }
    }

    /// The connection is closed: forgets the queue, and returns what waited for the request.
    mutating func close() -> Awaited {
        machine.closed()
        queue.removeAll()
        return takeAwaited()
    }
}
