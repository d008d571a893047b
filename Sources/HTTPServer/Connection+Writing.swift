internal import HTTPMessages
internal import Sockets

/// The queue, and what follows when it is empty.
extension Connection {
    /// Whether the loop's shared output is this connection's at the moment.
    var isActive: Bool {
        server.activeIdentity == key.identity
    }

    /// Adds bytes to what is sent next.
    func write(_ bytes: Span<UInt8>) {
        if isActive {
            server.output.append(copying: bytes)
        } else {
            queue.append(copying: bytes)
            server.markDirty(self)
        }
    }

    /// Adds bytes of a frame to what is sent next: by reference, unless copying them saves a
    /// system call.
    func write(_ frame: SharedBytes, _ range: Range<Int>? = nil) {
        let range = range ?? 0..<frame.count
        if isActive, range.count <= AnswerFraming.copiedByteCount {
            return server.output.append(copying: frame.bytes.span.extracting(range))
        }
        if isActive { spill() } else { server.markDirty(self) }
        queue.append(frame, range)
    }

    /// Moves what stands in the shared output to the queue, so that a frame can follow it.
    private func spill() {
        guard !server.output.isEmpty else { return }
        let output = server.takeOutput()
        queue.append(copying: output.span)
        server.recycle(consume output)
    }

    /// What is written from now on goes to the shared output, until `settle`.
    func activate() {
        server.activeIdentity = key.identity
    }

    /// Sends what a batch of requests has written, and does what follows.
    func settle(on loop: isolated EventLoop) {
        if state.flags.contains(.hasUncoded) { encodeStream() }
        server.activeIdentity = 0
        guard state.phase != .closed else { return }
        if !server.output.isEmpty {
            if state.isAtRest, input == nil, queue.isEmpty {
                state.flags.insert(.isBatched)
                if server.batchOutput(of: self, on: loop) { return }
                state.flags.remove(.isBatched)
            }
            let output = server.takeOutput()
            let result = send(output.span, on: loop)
            server.recycle(consume output)
            sent(result, on: loop)
        } else if !queue.isEmpty, !state.flags.contains(.isBlocked) {
            sent(queue.flush(to: descriptor, loop.system), on: loop)
        } else {
            advance(on: loop)
        }
    }

    /// Whether a send would come before nothing else, and has not been refused for want of room.
    var canSendAtOnce: Bool {
        state.phase != .closed && queue.isEmpty && !state.flags.contains(.isBlocked)
    }

    /// Sends an answer that has waited for those of other connections, or goes on from what came
    /// of it when it was sent with them.
    func sendBatched(
        _ bytes: Span<UInt8>, after result: IOResult?, on loop: isolated EventLoop
    ) {
        guard state.flags.remove(.isBatched) != nil, state.phase != .closed else { return }
        if let result {
            sent(keepRest(of: bytes, after: result), on: loop)
        } else {
            sent(send(bytes, on: loop), on: loop)
        }
    }

    /// Sends behind what is queued; what finds no room is queued.
    private func send(_ bytes: Span<UInt8>, on loop: isolated EventLoop) -> FlushResult {
        guard queue.isEmpty else {
            return queue.send(copying: bytes, to: descriptor, loop.system)
        }
        return keepRest(of: bytes, after: loop.system.send(bytes, to: descriptor))
    }

    /// Queues what a send into an empty queue's socket has left.
    private func keepRest(of bytes: Span<UInt8>, after result: IOResult) -> FlushResult {
        var count = 0
        switch result {
        case .bytes(let sent): count = sent
        case .wouldBlock, .closed: break
        case .failed(let code): return .failed(code)
        }
        guard count < bytes.count else { return .drained }
        queue.append(copying: bytes.extracting(count...))
        return .blocked
    }

    /// Sends what is queued, reads what has waited, and does what follows: at the end of a turn
    /// and when there is room again.
    func resume(on loop: isolated EventLoop) {
        guard state.phase != .closed else { return }
        if state.phase == .streaming, state.flags.contains(.isExhausted) { return close(on: loop) }
        releaseFinishedStream(on: loop)
        if state.flags.contains(.hasUncoded), !state.flags.contains(.isBlocked) { encodeStream() }
        if !queue.isEmpty {
            let before = queue.byteCount
            let result = queue.flush(to: descriptor, loop.system)
            state.outputTaken(before - queue.byteCount, at: server.now(loop), server.leastPace)
            sent(result, on: loop)
        } else if state.flags.contains(.awaitsRoom) {
            // A batch has sent all of it.
            sent(.drained, on: loop)
        } else {
            advance(on: loop)
        }
        guard input != nil, state.takesRequests else { return }
        guard state.mayResume(in: server.turn) else { return server.postpone(self, on: loop) }
        state.resumed(in: server.turn)
        activate()
        readWaiting(on: loop)
        settle(on: loop)
    }

    private func sent(_ result: FlushResult, on loop: isolated EventLoop) {
        switch result {
        case .failed: return close(on: loop)
        case .blocked:
            state.outputBlocked(at: server.now(loop))
            updateInterest(on: loop)
        case .drained:
            if state.flags.contains(.hasUncoded) {
                encodeStream()
                return sent(queue.flush(to: descriptor, loop.system), on: loop)
            }
            let tellsSource = state.outputDrained()
            advance(on: loop)
            if tellsSource { drained(on: loop) }
        }
    }

    /// All is sent: what the connection does next.
    private func advance(on loop: isolated EventLoop) {
        if case .file(let transfer) = occupant { return send(transfer, on: loop) }
        if state.flags.contains(.isLeaving), queue.isEmpty { return leave(on: loop) }
        if state.isFinished { return end(on: loop) }
        if state.flags.contains(.isExhausted) { return close(on: loop) }
        if server.isDraining, state.isIdle, input == nil { return close(on: loop) }
        if state.isAbandoned, input == nil { return close(on: loop) }
        updateInterest(on: loop)
    }

    private func drained(on loop: isolated EventLoop) {
        guard state.phase == .streaming, let source = occupant.source else { return }
        source.streamDrained(on: loop)
    }
}
