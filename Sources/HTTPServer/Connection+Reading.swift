internal import HTTPMessages
internal import Sockets

/// Bytes in, requests out.
extension Connection {
    /// Reads once and does all that follows from it.
    func receive(on loop: isolated EventLoop) {
        // Now: while the descriptor is lent, nothing may close it.
        if state.flags.contains(.isBatched) { server.sendBatch(on: loop) }
        guard state.phase != .closed else { return }
        let result = loop.receive(from: descriptor) { bytes in take(bytes, on: loop) }
        switch result {
        case .bytes: settle(on: loop)
        case .wouldBlock: break
        case .closed: inputEnded(on: loop)
        case .failed: close(on: loop)
        }
    }

    /// Hands out the requests that have waited for the end of an answer.
    func readWaiting(on loop: isolated EventLoop) {
        guard let pending = input, state.takesRequests else { return }
        // Out of the property: nothing that the handler does may find it half read.
        input = nil
        state.flags.remove(.isFull)
        let end = handOut(pending.bytes.span, &pending.assembler, on: loop)
        guard end.used < pending.bytes.count || pending.assembler.isMidway else { return }
        guard !state.flags.contains(.isLast) else {
            state.flags.insert(.hasUnreadInput)
            return
        }
        if end.used > 0 { pending.bytes.removeFirst(end.used) }
        input = pending
        bound(pending, end.reason, on: loop)
    }

    private func take(_ bytes: Span<UInt8>, on loop: isolated EventLoop) {
        state.activity = server.now(loop)
        guard state.phase != .lingering else { return state.drop(bytes.count, server.limits) }
        activate()
        guard input == nil, state.takesRequests else {
            keep(bytes, RequestAssembler(bounds: server.bounds), .mustWait, on: loop)
            return readWaiting(on: loop)
        }
        var assembler = RequestAssembler(bounds: server.bounds)
        let end = handOut(bytes, &assembler, on: loop)
        guard end.used < bytes.count || assembler.isMidway else { return }
        guard !state.flags.contains(.isLast) else {
            state.flags.insert(.hasUnreadInput)
            return
        }
        keep(bytes.extracting(end.used...), assembler, end.reason, on: loop)
    }

    /// Why requests are handed out no further.
    private enum Stop {
        /// All complete ones are handed out: the rest of a request has to come.
        case needsMore
        /// Those that are there have to wait.
        case mustWait
    }

    /// Keeps bytes behind those that wait.
    private func keep(
        _ bytes: Span<UInt8>, _ assembler: @autoclosure () -> RequestAssembler, _ reason: Stop,
        on loop: isolated EventLoop
    ) {
        let pending =
            input
            ?? PendingInput(
                assembler: assembler(), server.shared.memory, ofLoop: server.index)
        input = pending
        pending.bytes.append(copying: bytes)
        bound(pending, reason, on: loop)
    }

    /// Counts what is kept into the memory budget, and stops reading where as many requests wait as
    /// may. Beyond the budget, a large request is refused while it is still incomplete.
    private func bound(_ pending: PendingInput, _ reason: Stop, on loop: isolated EventLoop) {
        pending.count()
        guard reason == .needsMore else {
            let isShort = server.shared.memory.isExceeded
            let most = isShort ? 0 : server.limits.pipelinedByteCount
            if pending.bytes.count >= most {
                state.flags.insert(.isFull)
            }
            return
        }
        guard state.takesRequests, isTooLarge(pending.byteCount) else { return }
        let bytes = pending.bytes
        let isHead = pending.assembler.isHead(bytes.span)
        refuse(.shortOfMemory, isHead: isHead, on: loop)
    }

    /// A request of so many bytes is too large for the memory that is left.
    func isTooLarge(_ byteCount: Int) -> Bool {
        byteCount > ServerShared.smallRequestByteCount
            && byteCount > server.shared.largestRequestByteCount
    }

    /// Hands out the complete requests at the start of `bytes`, until one is held or they are
    /// enough for a turn; answers how many bytes are done with, and why it went no further.
    private func handOut(
        _ bytes: Span<UInt8>, _ assembler: inout RequestAssembler, on loop: isolated EventLoop
    ) -> (used: Int, reason: Stop) {
        var used = 0
        var handedOutCount = 0
        while state.takesRequests, used < bytes.count || assembler.isMidway {
            guard handedOutCount < server.limits.pipelinedRequestCount, !hasManyAnswers,
                handedOutCount == 0 || !server.meter.isLong(since: loop.now)
            else {
                server.markDirty(self)
                return (used, .mustWait)
            }
            handedOutCount += 1
            let rest = bytes.extracting(used...)
            switch assembler.next(rest) {
            case .request(let head, let body, let count):
                guard deliver(head, in: rest, body: body, on: loop) else {
                    return (used, .mustWait)
                }
                used += count
            case .assembled(let head, let count):
                let message = assembler.takeMessage()
                let body = head.byteCount..<message.count
                guard deliver(head, in: message.span, body: body, on: loop) else {
                    assembler.putBack(head, message)
                    return (used + count, .mustWait)
                }
                used += count
            case .needMore(let count):
                askForMore(assembler, rest, on: loop)
                return (used + count, .needsMore)
            case .refused(let problem, let isHead):
                refuse(problem, isHead: isHead, on: loop)
                return (used, .mustWait)
            }
        }
        return (used, .mustWait)
    }

    /// Whether the answers written since the last send are enough: the requests that wait are
    /// handed out when these are sent, so that small requests cannot pile up large answers.
    private var hasManyAnswers: Bool {
        server.output.count + queue.byteCount > server.limits.pipelinedByteCount
    }

    /// Notes that a request is incomplete. A client that waits with its body is told to go on, or
    /// gets the answer that the head alone decides (RFC 9110 §10.1.1), on the loop that knows it.
    private func askForMore(
        _ assembler: RequestAssembler, _ bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        state.requestIsPartial(headIsComplete: assembler.hasHead, at: state.activity)
        if state.flags.contains(.inputEnded) { state.flags.insert(.isLast) }
        guard !state.flags.contains(.hasContinued),
            let (head, message) = assembler.headAwaitingContinue(bytes)
        else { return }
        if let destination = server.destination(of: head, in: message.span) {
            return move(to: destination)
        }
        let isRefused =
            RequestCoding.refusal(of: head, in: message.span) != nil
            || server.handler.refuses(head, in: message.span, from: address, on: loop)
        if isRefused { return refuseBody(of: head, in: message.span, on: loop) }
        state.flags.insert(.hasContinued)
        let bytes = AnswerFraming.continueBytes
        write(bytes.span)
    }
}
