import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// The clients of one projection, streams and long-polls, and the events that they are all sent.
///
/// It stands in a slot of its projection, from the first client on.
final class Audience {
    private var watchers: [StreamWatcher] = []
    /// The viewers of the watchers, in their order, where these are of a class; otherwise empty.
    private var viewers: [Viewer] = []
    /// The versions since which these viewers are known to be of the class.
    private var stays: [UInt64] = []
    private var waiters: [Waiter] = []
    /// The parts that the watchers have selected and that are not there, for one search of all.
    private var absent: PointerTree?
    /// The instant at which all watchers were last sent something.
    private var lastSent = Instant(nanoseconds: 0)
    /// The version of the last id that stood alone.
    private var lastID: UInt64 = 0
    private var frames = Frames(version: 0)
    /// What compressed streams of one format and mode are sent is compressed once.
    private var compressions: [StreamWatcher.Kind: SharedCompression] = [:]

    /// The clients of a projection.
    static func of(_ projection: Projection) -> Audience {
        if let known = projection.audience as? Audience { return known }
        let made = Audience()
        projection.audience = made
        return made
    }

    /// The clients of a projection that has had any.
    static func known(of projection: Projection) -> Audience? {
        projection.audience as? Audience
    }

    // MARK: Watchers

    /// - Parameter since: the version since which the viewer is known to be of the projection's class.
    func add(
        _ watcher: StreamWatcher, of viewer: Viewer, since: UInt64, at now: Instant
    ) {
        precondition(!contains(watcher), "A watcher has one place.")
        watcher.index = watchers.count
        watchers.append(watcher)
        absent = nil
        if watcher.projection.isClassed {
            viewers.append(viewer)
            stays.append(since)
        }
        precondition(
            viewers.isEmpty || viewers.count == watchers.count,
            "All watchers of a projection are of a class, or none is.")
        lastSent = now
        if let stream = watcher.stream, stream.isCompressed {
            let compression = compressions[watcher.kind] ?? SharedCompression()
            compressions[watcher.kind] = compression
            stream.share(compression)
        }
        guard watcher.kind.hasPatches else { return }
        watcher.session.keepPatches(of: watcher.projection)
        watcher.projection.addPatchWatchers(1)
    }

    /// A watcher has gone; the last one takes its place, so that none is looked for.
    func remove(_ watcher: StreamWatcher) {
        let index = watcher.index
        precondition(watchers[index] === watcher, "A watcher knows its place.")
        watchers.swapAt(index, watchers.count - 1)
        watchers[index].index = index
        watchers.removeLast()
        absent = nil
        if !viewers.isEmpty {
            viewers.swapAt(index, viewers.count - 1)
            viewers.removeLast()
            stays.swapAt(index, stays.count - 1)
            stays.removeLast()
        }
        if watchers.isEmpty {
            frames = Frames(version: 0)
            compressions = [:]
        }
        if watcher.kind.hasPatches { watcher.projection.addPatchWatchers(-1) }
    }

    /// The viewer that a watcher is; nil where what it watches is one for everybody.
    func viewer(of watcher: StreamWatcher) -> Viewer? {
        precondition(contains(watcher), "A watcher is among those of its projection.")
        return viewers.isEmpty ? nil : viewers[watcher.index]
    }

    /// A watcher is another viewer of the same class, who is known to be of it since a version.
    func set(_ viewer: Viewer, since: UInt64, of watcher: StreamWatcher) {
        precondition(contains(watcher), "A watcher is among those of its projection.")
        viewers[watcher.index] = viewer
        stays[watcher.index] = since
        // What is still to be sent began in the former viewer's time.
        if watcher.isStale { watcher.setShown(nil) }
    }

    /// The version since which a viewer is known to be of the class; nil where none of the clients is
    /// that viewer.
    func since(_ viewer: Viewer) -> UInt64? {
        var since = waiters.filter { $0.viewer == viewer }.map(\.since).min()
        for index in viewers.indices where viewers[index] == viewer {
            since = min(since ?? .max, stays[index])
        }
        return since
    }

    /// A watcher's client may come back: until then, its session remembers the viewer.
    func remember(_ watcher: StreamWatcher) {
        guard !viewers.isEmpty else { return }
        watcher.session.remember(
            viewers[watcher.index], of: watcher.projection, since: stays[watcher.index])
    }

    func contains(_ watcher: StreamWatcher) -> Bool {
        watcher.index < watchers.count && watchers[watcher.index] === watcher
    }

    // MARK: Waiters

    func add(_ waiter: Waiter) { waiters.append(waiter) }

    func remove(_ waiter: Waiter) { waiters.removeAll { $0 === waiter } }

    func contains(_ waiter: Waiter) -> Bool { waiters.contains { $0 === waiter } }

    /// Removes all waiters, and returns them in their order.
    func takeWaiters() -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters
    }

    /// Removes the waiters of a principal, and returns them in their order.
    func takeWaiters(of principal: String) -> [Waiter] {
        let found = waiters.filter { $0.viewer.id == principal }
        if !found.isEmpty { waiters.removeAll { $0.viewer.id == principal } }
        return found
    }

    // MARK: Classes

    /// The viewers of all clients, of which each has its place: the watchers first, then the waiters.
    /// Only where they are of a class.
    var classedViewers: [Viewer] {
        waiters.isEmpty ? viewers : viewers + waiters.map(\.viewer)
    }

    /// Removes the clients at some places among `classedViewers`, and returns them.
    ///
    /// - Parameter places: in rising order.
    func take(at places: [Int]) -> (watchers: [(StreamWatcher, Viewer)], waiters: [Waiter]) {
        let watcherCount = watchers.count
        let leavers = places.filter { $0 >= watcherCount }.map { waiters[$0 - watcherCount] }
        for waiter in leavers { remove(waiter) }
        // The last one first: removing one moves none of those that are still to come.
        let moved = places.reversed().filter { $0 < watcherCount }.map { place in
            let watcher = watchers[place]
            let leaver = (watcher, viewers.isEmpty ? Viewer(watcher.principal) : viewers[place])
            remove(watchers[place])
            return leaver
        }
        return (moved, leavers)
    }

    /// Removes the watchers whose parts are there now, and returns them.
    func takeFound(in json: [UInt8]) -> [(StreamWatcher, Viewer)] {
        let pointers = absent ?? PointerTree(watchers.map { $0.absent ?? JSONPointer() })
        absent = pointers
        let ranges = pointers.ranges(in: json.span)
        return take(at: ranges.indices.filter { ranges[$0] != nil }).watchers
    }

    // MARK: Events

    /// Sends the projection's new value to all watchers.
    ///
    /// - Parameter most: a watcher is slow behind whom more bytes wait.
    /// - Returns: the number of watchers, and of those to whom an earlier one is sent together with this one.
    func publish(
        _ projection: Projection, of session: Session, waitingBehind most: Int,
        on loop: isolated EventLoop
    ) -> (count: Int, joinedCount: Int) {
        let isInScope = projection.byteCount != nil
        var made = Frames(version: session.version)
        var joinedCount = 0
        var waitingCount = 0
        for watcher in watchers {
            if watcher.isStale { joinedCount += 1 }
            watcher.sendChange(
                at: made.version, isInScope: isInScope, { made.frame(for: watcher) },
                waitingBehind: most, on: loop)
            if watcher.isStale { waitingCount += 1 }
        }
        // Whom nothing was sent is pinged in time.
        if waitingCount == 0 { lastSent = loop.now }
        frames = watchers.count > 1 ? made : Frames(version: 0)
        return (watchers.count, joinedCount)
    }

    /// The event that brings a watcher to the projection's present value, made once for all that
    /// are sent the same.
    func frame(for watcher: StreamWatcher) -> StreamFrame {
        let version = watcher.session.version
        if frames.version != version { frames = Frames(version: version) }
        return frames.frame(for: watcher)
    }

    /// Sends something where nothing was sent for a while: an id that the watchers could not see
    /// move, or a ping.
    ///
    /// - Returns: the instant at which nothing will have been sent for as long; nil without watchers.
    func breakSilence(
        _ projection: Projection, of session: Session, _ limits: SessionLimits,
        on loop: isolated EventLoop
    ) -> Instant? {
        guard !watchers.isEmpty else { return nil }
        let version = session.version
        if lastID < version, projection.lastChange < version {
            lastID = version
            send(.version, session.tag(projection), of: session, on: loop) { !$0.isBehind }
        }
        if loop.now >= lastSent.advanced(by: limits.pingDuration) {
            lastSent = loop.now
            let ping = StreamEvent.control("ping")
            send(ping, session.tag(projection), of: session, on: loop) {
                $0.hasRoom && !$0.isBehind
            }
            send(ping, [], of: session, on: loop) { $0.hasRoom && $0.isBehind }
        }
        return lastSent.advanced(by: limits.pingDuration)
    }

    /// Sends an event that is the same for all.
    private func send(
        _ event: StreamEvent, _ tag: [UInt8], of session: Session,
        on loop: isolated EventLoop, to isReceiver: (StreamWatcher) -> Bool
    ) {
        var frames: [StreamWatcher.Kind: StreamFrame] = [:]
        for watcher in watchers where isReceiver(watcher) {
            let frame =
                frames[watcher.kind] ?? event.frame(tag, session.version, watcher.kind)
            frames[watcher.kind] = frame
            watcher.stream?.send(frame, on: loop)
        }
    }

    /// Sends those who wait for their time what there is.
    func hurry(waitingBehind most: Int, on loop: isolated EventLoop) {
        for watcher in watchers { watcher.hurry(waitingBehind: most, on: loop) }
    }

    /// Ends the streams with an event that says why; or nil: their clients come again soon.
    ///
    /// - Parameters:
    ///   - principal: the one whose streams end; nil: all do.
    ///   - event: nil: their clients go on at once.
    func endStreams(
        of principal: String? = nil, _ event: String?, on loop: isolated EventLoop
    ) {
        for watcher in watchers where principal == nil || watcher.principal.id == principal {
            watcher.end(event, on: loop)
        }
    }

    /// Nothing is sent any more that was made of what is forgotten. Other servers, which show the projection
    /// to their clients, begin anew.
    fileprivate func forget(on loop: isolated EventLoop) {
        frames = Frames(version: 0)
        for watcher in watchers where watcher.isOfServer { watcher.end(nil, on: loop) }
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin() {
        frames = Frames(version: 0)
        lastID = 0
        stays = stays.map { _ in .max }
        for watcher in watchers { watcher.setShown(nil) }
    }
}

extension Session {
    /// What led to a version is forgotten, also by what clients and other servers are sent.
    func forget(before version: UInt64, on loop: isolated EventLoop) {
        forget(before: version)
        for projection in projections.all { Audience.known(of: projection)?.forget(on: loop) }
    }
}
