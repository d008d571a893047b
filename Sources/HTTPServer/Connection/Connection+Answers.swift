internal import HTTPMessages
internal import Sockets

// While requests are handed out, answers are written into the loop's buffer; from then on, and where
// they are large, into the connection's queue.

extension Connection {
    /// Shared bytes up to this size are copied behind what stands before them; more are sent from
    /// where they are, however many connections they go to.
    static let copiedByteCount = 16 * 1024

    /// Writes the answer of the request `serial`, unless it has one.
    @inline(__always)
    func answer(
        _ serial: UInt64, _ status: Int, _ rest: AnswerRest, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard machine.awaitsAnswer(serial) else { return }
        machine.answerBegins(isDraining: context.isDraining)
        write(status, machine.request, on: loop, fill)
        if case .body(let body) = rest { write(body, 0..<body.count) }
        finishAnswer(rest)
    }

    /// Queues the answer to the request `serial` that another loop has given.
    func answer(_ serial: UInt64, _ head: SharedBytes, _ rest: AnswerRest) {
        guard machine.awaitsAnswer(serial) else { return }
        queue.append(head)
        if case .body(let body) = rest { queue.append(body) }
        finishAnswer(rest)
        goOnLater()
    }

    private func finishAnswer(_ rest: AnswerRest) {
        awaited = .nothing
        guard case .file(let transfer) = rest else { return machine.answered() }
        machine.fileBegan()
        awaited = .file(transfer)
    }

    /// Has the observer told when the client goes before the answer to the request `serial`.
    /// Where it has gone already, the connection goes on, and closes, at the end of the turn.
    func observe(_ serial: UInt64, _ observer: any ExchangeObserver, endsWithInput: Bool) {
        guard machine.awaitsAnswer(serial) else { return }
        awaited = .observer(observer)
        if endsWithInput, machine.heldForClient(serial) == .close { goOnLater() }
    }

    // MARK: Streams

    /// Answers the request `serial` with a stream. Its body comes in chunks or, for HTTP/1.0, ends
    /// with the connection (RFC 9112 §6.3).
    func startStream(
        _ serial: UInt64, _ status: Int, _ source: any StreamSource, until expiry: Instant,
        compressed: Bool, on loop: isolated EventLoop, _ fill: (inout ResponseWriter) -> Void
    ) {
        precondition(machine.awaitsAnswer(serial), "A stream answers a request that waits.")
        if !context.output.isWriting(self) { forgetInput() }
        let coding = compressed ? context.makeCoding(source) : nil
        machine.streamBegan(isCompressed: coding != nil, until: expiry)
        awaited = coding.map { .codedStream($0) } ?? .stream(source)
        write(status, machine.request, on: loop) { writer in
            fill(&writer)
            if coding != nil { writer.field("Content-Encoding", "gzip") }
            if machine.takesChunks { writer.field("Transfer-Encoding", "chunked") }
            if !writer.hasEndedHead { writer.endHead() }
        }
        // The head goes out with the first frames.
        if coding != nil, context.output.isWriting(self) { context.output.moveBuffer(to: &queue) }
        goOnLater()
        context.limitUnsent(descriptor, on: loop)
    }

    /// Adds a frame to the stream: behind what was written before it, or to those that are compressed
    /// when there is room.
    func send(_ frame: StreamFrame) {
        precondition(machine.isStreaming, "Frames belong to a stream that runs.")
        if let coding = awaited.coding {
            coding.add(frame)
            machine.framesWait()
            goOnLater()
        } else {
            write(frame.chunk, machine.takesChunks ? 0..<frame.chunk.count : frame.payloadRange)
        }
        if unsentByteCount > context.limits.streamByteCount { machine.exceeded() }
    }

    /// Sends a frame, as `OutgoingStream.offer` says.
    func offer(waitingBehind most: Int, _ frame: () -> StreamFrame) -> OutgoingStream.Offer {
        guard machine.isStreaming else { return .over }
        let byteCount = unsentByteCount
        guard machine.isBlocked || byteCount > most else {
            send(frame())
            return .taken
        }
        if byteCount > 0 { machine.sourceAsks() }
        return .skipped
    }

    /// Queues the end of the stream, with which the connection ends.
    func finishStream() {
        guard machine.isStreaming else { return }
        if context.output.isWriting(self) { context.output.moveBuffer(to: &queue) }
        awaited.coding?.encode(isLast: true, inChunks: machine.takesChunks, to: &queue)
        if machine.takesChunks { queue.append(StreamFrame.lastChunk) }
        machine.streamFinished()
        goOnLater()
    }

    /// The count of bytes that wait, queued or not yet compressed.
    private var unsentByteCount: Int {
        guard machine.isCompressed else { return queue.byteCount }
        return queue.byteCount + (awaited.coding?.pendingByteCount ?? 0)
    }

    /// The bytes of memory that are held here and counted nowhere else, roughly.
    var uncountedByteCount: Int { queue.uncountedByteCount + (awaited.coding?.byteCount ?? 0) }

    // MARK: Writing

    func write(_ bytes: Span<UInt8>) {
        if context.output.isWriting(self) { return context.output.write(bytes) }
        queue.append(copying: bytes)
        goOnLater()
    }

    /// Writes the head of an answer, and the body that `fill` adds.
    @inline(__always)
    func write(
        _ status: Int, _ traits: RequestTraits, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        let lines = context.commonLines(for: traits.origin, on: loop)
        if context.output.isWriting(self) {
            return context.output.answer(status, traits, lines: lines, fill)
        }
        queue.append(SharedBytes(traits.answer(status, lines: lines, behind: [], fill)))
        goOnLater()
    }

    /// Adds shared bytes by reference, unless copying them behind the buffer saves a system call.
    private func write(_ bytes: SharedBytes, _ range: Range<Int>) {
        if context.output.isWriting(self) {
            if range.count <= Self.copiedByteCount {
                return context.output.write(bytes.bytes.span.extracting(range))
            }
            context.output.moveBuffer(to: &queue)
        }
        queue.append(bytes, range)
        goOnLater()
    }

    // MARK: Sending

    /// Sends what stands in the loop's buffer. A short answer with which nothing else is to be done
    /// waits in the queue, to be sent with those of other connections: answers true for such a one.
    func sendBuffer(on loop: isolated EventLoop) -> Bool {
        let output = context.output
        output.end()
        guard !output.isBufferEmpty else { return false }
        let isShort = output.bufferCount <= TurnOutput.shortByteCount
        if isShort, queue.isEmpty, machine.isAtRest {
            output.moveBuffer(to: &queue)
            machine.joinedTurn()
            output.joinAnswers(self, on: loop)
            return true
        }
        let bytes = output.takeBuffer()
        let result = queue.send(copying: bytes.span, to: descriptor, loop.system)
        machine.flushed(result, at: context.now(loop))
        output.recycle(bytes)
        return false
    }

    /// Sends the queue, as far as there is room.
    func flush(on loop: isolated EventLoop) {
        let before = queue.byteCount
        let result = queue.flush(to: descriptor, loop.system)
        let now = context.now(loop)
        machine.sent(before - queue.byteCount, at: now, context.leastPace)
        machine.flushed(result, at: now)
    }

    /// Sends more of the file that the answer ends with.
    func sendFile(on loop: isolated EventLoop) {
        guard case .file(let transfer) = awaited else { return machine.lost() }
        let now = context.now(loop)
        let (result, moved) = transfer.send(to: descriptor, loop.system)
        machine.sent(moved, at: now, context.leastPace)
        machine.flushed(result, at: now)
        guard result == .drained else { return }
        finishAnswer(.nothing)
        goOnLater()
    }

    /// Adds the queue to what is sent together, where it is one piece and nothing waits for room.
    /// Answers whether it did.
    func stage(in sends: inout SendBatch) -> Bool {
        machine.maySendTogether && sends.add(queue, to: descriptor) != nil
    }

    /// Takes note of what came of a queue that was sent with others. Bytes that were not sent stay,
    /// to be sent in the ordinary way. Where nothing else is to be done, the connection leaves the
    /// turn: answers true.
    func noteSent(_ result: IOResult?, at now: Instant) -> Bool {
        switch result {
        case .bytes(let count):
            queue.removeSent(count)
            machine.sent(count, at: now, context.leastPace)
        case .failed: machine.lost()
        case .wouldBlock, .closed, nil: break
        }
        guard queue.isEmpty, !context.isDraining, machine.hasOnlySent else { return false }
        machine.leftTurn()
        return true
    }
}
