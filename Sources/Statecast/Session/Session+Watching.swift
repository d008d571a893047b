import HTTPMessages
import HTTPServer
import Sockets

extension Session {
    /// Takes a watcher in: it is told of every change from now on.
    func add(_ watcher: Watcher) {
        projections.keep(watcher.projection)
        watcher.projection.add(watcher)
        watcherCount += 1
    }

    /// A watcher has gone.
    func remove(_ watcher: Watcher) {
        guard watcher.projection.remove(watcher) else { return }
        watcherCount -= 1
        if watcherCount == 0 { encodingMemory = nil }
        projections.forgetIfUnused(watcher.projection)
    }

    /// Tells everybody of what was committed since the last time.
    func publish(_ context: SessionContext, on loop: isolated EventLoop) {
        let lastChange = store.lastChange
        guard lastChange > published else { return }
        published = lastChange
        changed = Timestamp(milliseconds: loop.wallClockMilliseconds)
        projections.whole.lastChange = lastChange
        guard watcherCount > 0 || waiterCount > 0 else { return }
        do throws(ProblemDetails) {
            try publishChanges(context, on: loop)
        } catch {
            endWaiters(error, on: loop)
        }
    }

    private func publishChanges(
        _ context: SessionContext, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let whole = projections.whole
        if !whole.isUnused || projections.hasParts {
            let json = try content(of: whole, context, on: loop)
            if !whole.isUnused { send(whole, context, on: loop) }
            guard let json else { return }
            for part in projections.updateParts(in: json, at: store.version) {
                send(part, context, on: loop)
            }
        }
        for view in projections.kept where view.isView {
            let old = view.json
            let new = try content(of: view, context, on: loop)
            if old?.bytes != new?.bytes { send(view, context, on: loop) }
        }
    }

    /// Sends a projection's new value to all that watch it or wait for it.
    private func send(
        _ projection: Projection, _ context: SessionContext, on loop: isolated EventLoop
    ) {
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
        watcher.stream?.send(
            EventFrames.id(tag(watcher.projection), store.version, watcher.format), on: loop)
    }

    /// Sends an event without content.
    func sendControl(_ name: String, to watcher: Watcher, on loop: isolated EventLoop) {
        watcher.stream?.send(
            EventFrames.control(name, tag(watcher.projection), store.version, watcher.format),
            on: loop)
    }

    /// The event of a projection's present value, made once for all who watch it.
    func frame(_ projection: Projection, _ format: Watcher.Format) -> StreamFrame {
        if projection.frames.version != store.version {
            projection.frames = .init(version: store.version)
        }
        switch format {
        case .events:
            if let known = projection.frames.eventStream { return known }
            let made = EventFrames.event(projection.json, id: tag(projection))
            projection.frames.eventStream = made
            return made
        case .lines:
            if let known = projection.frames.lines { return known }
            let made = EventFrames.line(
                projection.json, token: tag(projection), version: store.version)
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
        for projection in projections.all { breakSilence(projection, context, on: loop) }
    }

    private func breakSilence(
        _ projection: Projection, _ context: SessionContext, on loop: isolated EventLoop
    ) {
        guard !projection.watchers.isEmpty else { return }
        if projection.lastID < store.version, projection.lastChange < store.version {
            projection.lastID = store.version
            for watcher in projection.watchers where !watcher.isStale {
                sendID(to: watcher, on: loop)
            }
        }
        guard loop.now >= projection.lastSent.advanced(by: context.limits.pingDuration) else {
            return
        }
        projection.lastSent = loop.now
        for watcher in projection.watchers where watcher.hasRoom {
            sendControl("ping", to: watcher, on: loop)
        }
    }

    /// Ends all streams with an event that says why.
    func endStreams(_ event: String, on loop: isolated EventLoop) {
        for projection in projections.all {
            for watcher in projection.watchers {
                sendControl(event, to: watcher, on: loop)
                watcher.stream?.finish(on: loop)
            }
        }
    }
}
