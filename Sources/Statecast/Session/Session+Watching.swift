import HTTPMessages
import HTTPServer
import Sockets

extension Session {
    /// Takes a watcher in: it is told of every change from now on.
    func add(_ watcher: Watcher) {
        keep(watcher.projection)
        watcher.projection.add(watcher)
        watcherCount += 1
    }

    /// A watcher has gone.
    func remove(_ watcher: Watcher) {
        guard watcher.projection.remove(watcher) else { return }
        watcherCount -= 1
        if watcherCount == 0 { encodingMemory = nil }
        forgetIfUnused(watcher.projection)
    }

    /// Tells everybody of what was committed since the last time.
    func publish(_ context: SessionContext, on loop: isolated EventLoop) {
        let lastChange = store.lastChange
        guard lastChange > published else { return }
        published = lastChange
        changed = Timestamp(milliseconds: loop.wallClockMilliseconds)
        guard watcherCount > 0 || waiterCount > 0 else { return whole.lastChange = lastChange }
        do throws(ProblemDetails) {
            try publish(whole, context, on: loop)
            for projection in projections.values { try publish(projection, context, on: loop) }
        } catch {
            endWaiters(error, on: loop)
        }
    }

    private func publish(
        _ projection: Projection, _ context: SessionContext, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard !projection.isUnused else {
            projection.lastChange = store.lastChange
            return
        }
        let old = projection.isWhole ? nil : projection.json
        let new = try content(of: projection, context, on: loop)
        if !projection.isWhole, old?.bytes == new?.bytes {
            return
        }
        projection.lastChange = store.version
        projection.lastSent = loop.now
        context.metrics.events += projection.watchers.count
        for watcher in projection.watchers { send(to: watcher, context.limits, on: loop) }
        if projection.watchers.count == 1 { projection.frames = .init() }
        answerWaiters(of: projection, context, on: loop)
    }

    /// Sends the change, or remembers that it was passed over.
    private func send(to watcher: Watcher, _ limits: SessionLimits, on loop: isolated EventLoop) {
        guard let stream = watcher.stream else { return }
        let pending = stream.pendingByteCount
        if stream.isBlocked || pending > limits.watcherByteCount {
            watcher.isStale = true
            return stream.notifyWhenDrained()
        }
        sendState(to: watcher, on: loop)
    }

    /// Sends the projection as it is now, or that it is out of scope.
    func sendState(to watcher: Watcher, on loop: isolated EventLoop) {
        guard let stream = watcher.stream else { return }
        stream.send(frame(watcher.projection, watcher.format), on: loop)
        if watcher.endsOutOfScope, watcher.projection.json == nil { stream.finish(on: loop) }
    }

    /// Sends the version alone: the client knows the state.
    func sendID(to watcher: Watcher, on loop: isolated EventLoop) {
        guard watcher.format == .events else { return }
        watcher.stream?.send(EventFrames.id(tokenBytes), on: loop)
    }

    /// The event of a projection's present value, made once for all who watch it.
    func frame(_ projection: Projection, _ format: Watcher.Format) -> StreamFrame {
        if projection.frames.version != store.version {
            projection.frames = .init(version: store.version)
        }
        switch format {
        case .events:
            if let known = projection.frames.eventStream { return known }
            let made = EventFrames.event(
                projection.json, epoch: epoch, version: store.version)
            projection.frames.eventStream = made
            return made
        case .lines:
            if let known = projection.frames.lines { return known }
            let made = EventFrames.line(
                projection.json, token: tokenBytes, version: store.version)
            projection.frames.lines = made
            return made
        }
    }

    /// The token as bytes.
    var tokenBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(epoch.utf8.count + 21)
        Token.append(epoch, store.version, to: &bytes)
        return bytes
    }

    /// Speaks where nothing was said for a while: an id that the watchers could not see move, or
    /// a ping.
    func breakSilence(_ context: SessionContext, on loop: isolated EventLoop) {
        breakSilence(whole, context, on: loop)
        for projection in projections.values { breakSilence(projection, context, on: loop) }
    }

    private func breakSilence(
        _ projection: Projection, _ context: SessionContext, on loop: isolated EventLoop
    ) {
        guard !projection.watchers.isEmpty else { return }
        if projection.lastID < store.version, projection.lastChange < store.version {
            projection.lastID = store.version
            let frame = EventFrames.id(tokenBytes)
            for watcher in projection.watchers where watcher.format == .events && !watcher.isStale {
                watcher.stream?.send(frame, on: loop)
            }
        }
        guard loop.now >= projection.lastSent.advanced(by: context.limits.pingDuration) else {
            return
        }
        projection.lastSent = loop.now
        for watcher in projection.watchers where !watcher.isStale {
            watcher.stream?.send(EventFrames.ping(watcher.format), on: loop)
        }
    }

    /// Ends all streams with an event that says why.
    func endStreams(_ event: String, on loop: isolated EventLoop) {
        for projection in [whole] + projections.values {
            for watcher in projection.watchers {
                watcher.stream?.send(EventFrames.control(event, watcher.format), on: loop)
                watcher.stream?.finish(on: loop)
            }
        }
    }
}
