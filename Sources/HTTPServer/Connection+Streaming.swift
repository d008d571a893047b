internal import Logging
internal import Sockets

/// An answer without end.
extension Connection {
    /// Makes the connection a stream; its head is written already.
    func startStream(_ stream: Occupant, age: Duration?, on loop: isolated EventLoop) {
        state.phase = .streaming
        state.flags.insert(.isLast)
        if input != nil { state.flags.insert(.hasUnreadInput) }
        input = nil
        occupant = stream
        state.expiry =
            age.map { server.now(loop).advanced(by: server.jittered($0)) }
            ?? Instant(nanoseconds: .max)
        do throws(SystemError) {
            try loop.system.limitUnsent(descriptor, to: server.limits.unsentStreamByteCount)
        } catch {
            // It only comes later: what is lost is found out by the next send.
            server.shared.logger.debug("A stream keeps the kernel's own bound: \(error)")
        }
        server.markDirty(self)
        if server.isDraining { endStream(.draining, on: loop) }
    }

    /// Whether the handle of the request `serial` still stands for a running stream.
    func isStreaming(_ serial: UInt64) -> Bool {
        state.phase == .streaming && self.serial == serial
    }

    /// Nothing more will be sent: closes when all is written.
    func finishStream(on loop: isolated EventLoop) {
        guard state.phase == .streaming else { return }
        encodeStream(isLast: true)
        if hasChunks { write(StreamFrame.lastChunk) }
        state.phase = .reading
        state.flags.insert([.isLast, .hasUnreadInput])
        server.markDirty(self)
    }

    /// Tells the source of a finished stream, once, that it is over: at the end of the turn, so
    /// that nobody is called back from inside `finish`.
    func releaseFinishedStream(on loop: isolated EventLoop) {
        guard state.phase != .streaming, let source = occupant.source else { return }
        occupant = .none
        source.streamClosed(on: loop)
    }

    /// Ends the stream for a reason of the server's.
    func endStream(_ end: StreamEnd, on loop: isolated EventLoop) {
        guard state.phase == .streaming, let source = occupant.source else { return }
        source.streamEnding(end, on: loop)
        finishStream(on: loop)
    }
}
