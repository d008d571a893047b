internal import Logging
internal import Sockets

/// One system call for many connections.
extension ServerLoop {
    /// Sends what waits in the queues of these connections together, if they are enough for that.
    ///
    /// What cannot be sent, or not all of it, stays in its queue, to be sent in the ordinary way.
    /// So does what waits for room already.
    func sendTogether(_ candidates: [Connection], on loop: isolated EventLoop) {
        guard let least = shared.leastBatchCount,
            canSendTogether(candidates.count, on: loop)
        else { return }
        var staged: [Connection] = []
        staged.reserveCapacity(min(candidates.count, SendBatch.capacity))
        for connection in candidates {
            guard connection.state.phase != .closed,
                connection.state.flags.isDisjoint(with: [.isBlocked, .isBatched]),
                sends.add(connection.queue, to: connection.descriptor) != nil
            else { continue }
            staged.append(connection)
            guard sends.isFull else { continue }
            send(to: staged, on: loop)
            staged.removeAll(keepingCapacity: true)
        }
        if staged.count >= least { send(to: staged, on: loop) }
        sends.removeAll()
    }

    /// Sends answers together, if they are enough for that; what came of each, nil for those that
    /// were not sent. Empty when none was.
    func sendTogether(_ answers: AnswerBatch, on loop: isolated EventLoop) -> [IOResult?] {
        guard canSendTogether(answers.count, on: loop) else { return [] }
        let positions = answers.stage(in: &sends)
        perform(on: loop)
        defer { sends.removeAll() }
        return positions.map { position in position.flatMap { sends.result(at: $0) } }
    }

    private func canSendTogether(_ count: Int, on loop: isolated EventLoop) -> Bool {
        guard let least = shared.leastBatchCount else { return false }
        return count >= least && loop.sendRingFailure == nil
    }

    private func perform(on loop: isolated EventLoop) {
        let hadRing = loop.sendRingFailure == nil
        loop.send(&sends)
        if hadRing, let failure = loop.sendRingFailure {
            shared.logger.info("Sending to one stream after the other: \(failure)")
        }
    }

    /// Nobody is told of anything before all results are taken over: until then the queues stand
    /// as they stood.
    private func send(to staged: [Connection], on loop: isolated EventLoop) {
        perform(on: loop)
        var lost: [Connection] = []
        let now = now(loop)
        for (position, connection) in staged.enumerated() {
            switch sends.result(at: position) {
            case .bytes(let count):
                connection.queue.removeSent(count)
                connection.state.outputTaken(count, at: now, leastPace)
            case .failed: lost.append(connection)
            case .wouldBlock, .closed, nil: break
            }
        }
        sends.removeAll()
        for connection in lost { connection.close(on: loop) }
    }
}
