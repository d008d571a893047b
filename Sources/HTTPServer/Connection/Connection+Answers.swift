internal import HTTPMessages
internal import Sockets

// While requests are handed out, answers are written into the loop's buffer; from then on, and where
// they are large, into the connection's queue.

extension Connection {
    /// Shared bytes up to this size are copied behind what stands before them; more are sent from
    /// where they are, however many connections they go to.
    static let copiedByteCount = 16 * 1024
    private static let leastStreamByteCount = 512

    /// Writes the answer of the request `serial`, unless it has one.
    @inline(__always)
    func answer(
        _ serial: UInt64, _ status: Int, _ rest: AnswerRest, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard machine.beginAnswer(to: serial, isDraining: context.isDraining) else { return }
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
        if elsewhereByteCount > 0 { hold(-elsewhereByteCount) }
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

    /// The bytes of a request are kept until it is answered, by whatever it waits for: they are on the
    /// client's account.
    func holdRequest(of byteCount: Int) {
        if machine.phase == .handling { hold(byteCount) }
    }

    // MARK: Streams

    /// Answers the request `serial` with a stream. Its body comes in chunks or, for HTTP/1.0, ends
    /// with the connection (RFC 9112 §6.3).
    func startStream(
        _ serial: UInt64, _ status: Int, _ source: any StreamSource, of client: Accounts.Client,
        until expiry: Instant, compressed: Bool, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        precondition(machine.awaitsAnswer(serial), "A stream answers a request that waits.")
        if !context.output.isWriting(self) { forgetInput() }
        beginStream(of: client)
        let coding = compressed ? context.makeCoding(source, of: client) : nil
        machine.streamBegan(until: expiry)
        awaited = coding.map { .codedStream($0) } ?? .stream(source)
        write(status, machine.request, on: loop) { writer in
            fill(&writer)
            if coding != nil { writer.field("Content-Encoding", "gzip") }
            if !machine.request.isHTTP10 { writer.field("Transfer-Encoding", "chunked") }
            if !writer.hasEndedHead { writer.endHead() }
        }
        // The head goes out with the first frames.
        if coding != nil, context.output.isWriting(self) { moveBuffer() }
        goOnLater()
        context.limitUnsent(descriptor, on: loop)
    }

    /// The answer is a stream of a client's.
    func beginStream(of client: Accounts.Client) {
        self.client = client
        hold(Self.leastStreamByteCount)
        context.shared.memory.withAccounts { $0.add(1, .streams, of: client) }
    }

    /// The request or the stream takes so much memory more elsewhere, until it is over.
    func hold(_ byteCount: Int) {
        elsewhereByteCount += byteCount
        context.shared.memory.add(.input, of: context.index, byteCount)
    }

    /// Tells who waits for the request that it is over.
    func closeAwaited(on loop: isolated EventLoop) {
        let former = awaited.take()
        former.closed(on: loop)
        hold(-elsewhereByteCount)
        guard former.source != nil else { return }
        context.shared.memory.withAccounts { $0.add(-1, .streams, of: client) }
    }

    /// Adds a frame to the stream: behind what was written before it, or to those that are compressed
    /// when there is room.
    func send(_ frame: StreamFrame) {
        precondition(machine.isStreaming, "Frames belong to a stream that runs.")
        if let coding = awaited.coding {
            coding.add(frame)
            machine.isUncoded = true
            goOnLater()
        } else {
            write(
                frame.chunk, !machine.request.isHTTP10 ? 0..<frame.chunk.count : frame.payloadRange)
        }
        if unsentByteCount > context.limits.streamByteCount { machine.fate = .exhausted }
    }

    /// Queues the end of the stream, with which the connection ends.
    func finishStream(on loop: isolated EventLoop) {
        guard machine.isStreaming else { return }
        if context.output.isWriting(self) { moveBuffer() }
        encode(isLast: true, on: loop)
        if !machine.request.isHTTP10 { queue.append(StreamFrame.lastChunk) }
        machine.streamFinished()
        goOnLater()
    }

    /// Compresses the frames that wait, and queues what comes of them.
    func encode(isLast: Bool, on loop: isolated EventLoop) {
        guard let coding = awaited.coding else { return }
        context.add(encoded: coding)
        let isInChunks = !machine.request.isHTTP10
        coding.encode(isLast: isLast, at: loop.now, context.frameCompressor) { frame in
            queue.append(frame.chunk, isInChunks ? 0..<frame.chunk.count : frame.payloadRange)
        }
    }

    /// The count of bytes that wait, queued or not yet compressed.
    var unsentByteCount: Int { queue.byteCount + (awaited.coding?.pendingByteCount ?? 0) }

    /// The bytes of memory that are held here and counted nowhere else, roughly.
    var uncountedByteCount: Int { queue.uncountedByteCount + (awaited.coding?.byteCount ?? 0) }

    /// The client on whose account is what waits here; 0: nobody's.
    var payer: Accounts.Client { client > 0 ? client : context.handler.client(at: address) }

    /// The bytes that the client has the server hold, those among them that others are sent as well.
    var heldByteCount: Int {
        queue.byteCount + (awaited.coding?.byteCount ?? 0) + (input?.byteCount ?? 0)
            + elsewhereByteCount
    }

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
        // The server that has the client adds its own.
        let lines =
            isInner
            ? []
            : context.commonLines.lines(
                for: traits.origin, at: loop.wallClockMilliseconds / 1000)
        if context.output.isWriting(self) {
            return context.output.answer(status, traits, lines: lines, fill)
        }
        let answer = SharedBytes(traits.answer(status, lines: lines, behind: [], fill))
        queue.append(answer)
        goOnLater()
    }

    /// Adds shared bytes by reference, unless copying them behind the buffer saves a system call.
    private func write(_ bytes: SharedBytes, _ range: Range<Int>) {
        if context.output.isWriting(self) {
            if range.count <= Self.copiedByteCount {
                return context.output.write(bytes.bytes.span.extracting(range))
            }
            moveBuffer()
        }
        queue.append(bytes, range)
        goOnLater()
    }

    /// Moves what was written into the loop's buffer to the queue, so that more can follow it there.
    private func moveBuffer() {
        context.output.takeWritten { queue.append(copying: $0) }
    }

    // MARK: Sending

    /// Sends what was written into the loop's buffer. A short answer with which nothing else is to be
    /// done waits there, to be sent with those of other connections: answers true for such a one.
    func sendBuffer(on loop: isolated EventLoop) -> Bool {
        let output = context.output
        output.end()
        guard output.writtenCount > 0 else { return false }
        if output.writtenCount <= TurnOutput.shortByteCount, machine.isIdle, !machine.hasEnded,
            queue.isEmpty
        {
            machine.isDirty = true
            output.joinAnswers(self, on: loop)
            return true
        }
        output.takeWritten { send($0, on: loop) }
        return false
    }

    /// Sends what is left of an answer that has waited in the loop's buffer, once it was sent with
    /// others or, for nil, was not. Where nothing else is to be done, the connection leaves the turn.
    func sendAnswer(_ bytes: Span<UInt8>, _ result: IOResult?, on loop: isolated EventLoop) {
        switch result {
        case .bytes(bytes.count): break
        case .bytes(let count): send(bytes.extracting(count...), on: loop)
        case .failed: machine.fate = .lost
        case .wouldBlock, .closed, nil: send(bytes, on: loop)
        }
        if !context.isDraining, machine.hasOnlySent {
            machine.isDirty = false
        } else {
            turnEnded(on: loop)
        }
    }

    private func send(_ bytes: Span<UInt8>, on loop: isolated EventLoop) {
        machine.flushed(queue.send(copying: bytes, to: descriptor, loop.system), at: loop.now)
    }

    /// Sends the queue, as far as there is room.
    func flush(on loop: isolated EventLoop) {
        let before = queue.byteCount
        let result = queue.flush(to: descriptor, loop.system)
        let now = loop.now
        machine.sent(before - queue.byteCount, at: now, context.leastPace)
        machine.flushed(result, at: now)
    }

    /// Sends more of the file that the answer ends with.
    func sendFile(on loop: isolated EventLoop) {
        guard case .file(let transfer) = awaited else {
            preconditionFailure("A connection that sends a file awaits it.")
        }
        let now = loop.now
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
        case .failed: machine.fate = .lost
        case .wouldBlock, .closed, nil: break
        }
        guard queue.isEmpty, !context.isDraining, machine.hasOnlySent else { return false }
        machine.isDirty = false
        return true
    }
}
