internal import Sockets

/// Lingering, draining, deadlines.
extension Connection {
    /// The client has ended its side. What it has asked is still answered.
    func inputEnded(on loop: isolated EventLoop) {
        state.flags.insert(.inputEnded)
        let hasPipeline = state.phase == .handling && input != nil
        if state.isAbandoned, !hasPipeline { close(on: loop) } else { updateInterest(on: loop) }
    }

    /// All is said and sent. A client that may still be sending gets time to read the answer:
    /// closing while its bytes are unread would reset the connection and lose it.
    func end(on loop: isolated EventLoop) {
        guard state.flags.contains(.hasUnreadInput), !state.flags.contains(.inputEnded),
            endOutput(on: loop)
        else { return close(on: loop) }
        state.phase = .lingering
        state.began = server.now(loop)
        input = nil
        updateInterest(on: loop)
    }

    private func endOutput(on loop: isolated EventLoop) -> Bool {
        do throws(SystemError) {
            try loop.system.shutdownWrite(descriptor)
            return true
        } catch {
            return false
        }
    }

    /// Closes at once, whatever was under way, and tells who must know.
    func close(on loop: isolated EventLoop) {
        if state.flags.contains(.isBatched) { server.sendBatch(on: loop) }
        guard state.phase != .closed else { return }
        state.phase = .closed
        input = nil
        queue.removeAll()
        closeDescriptor(on: loop)
        let occupant = self.occupant
        self.occupant = .none
        occupant.connectionClosed(self, on: loop)
        server.forget(self)
    }

    /// Acts on what time has brought.
    func expire(_ overdue: ConnectionState.Overdue, on loop: isolated EventLoop) {
        switch overdue {
        case .idle, .slowReader: close(on: loop)
        case .slowRequest:
            activate()
            let isHead = input.map { $0.assembler.isHead($0.bytes.span) } ?? false
            refuse(.requestTimeout, isHead: isHead, on: loop)
            settle(on: loop)
        case .streamAge: endStream(.age, on: loop)
        }
    }

    /// The server takes no new work: ends what is idle, and has the rest end.
    func drain(on loop: isolated EventLoop) {
        if state.isIdle { return close(on: loop) }
        switch (state.phase, occupant) {
        case (.streaming, _): endStream(.draining, on: loop)
        case (.handling, .observer(let observer)): observer.exchangeDraining(on: loop)
        case (.handling, .forward(let target)): server.drain(forwardKey(to: target))
        default: break
        }
    }
}
