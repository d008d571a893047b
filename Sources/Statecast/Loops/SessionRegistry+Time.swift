import Sessions
import Sockets

extension SessionRegistry: TimerHandler {
    /// The most sessions that are looked at in one turn: whoever posts meanwhile waits for these.
    private static let turnCount = 64
    /// The pause before the next of them.
    private static let pause = Duration.milliseconds(2)
    /// A session that is not idle is looked at so often, whether it has become so.
    private static let busyDuration = Duration.seconds(60)
    /// The time of a round through all sessions where memory or the number of sessions is short.
    private static let second = Duration.seconds(1)
    /// A loop with more sessions than this visits a slice of them at a time.
    private static let largeCount = 2048
    /// The most sessions that are looked at when room is made.
    private static let dispensableCount = 4096
    /// So many stores that have gone to rest leave enough behind to give it back to the kernel. That
    /// holds the loop up for some milliseconds, and so is not done more often while they go.
    private static let trimmedCount = 1024
    private static let trimmingPause = Duration.seconds(60)
    /// Measuring states that nobody has asked for may take so much of a turn.
    private static let measuringDuration = Duration.milliseconds(5)

    /// Once a second the sessions are looked at of which something is due, and numbers are told.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        switch timer {
        case tick:
            tick = loop.schedule(after: Self.second, self)
            tickPassed(on: loop)
            if !isLooking { lookAtDue(on: loop) }
        case sweep:
            sweep = .none
            sweepSlice(on: loop)
        default:
            isLooking = false
            lookAtDue(on: loop)
        }
    }

    private func tickPassed(on loop: isolated EventLoop) {
        context.diagnostics.closeWindows(at: loop.now)
        reopenUnopened(on: loop)
        if context.sessions.budget.isTight { dropFiles() }
        if sweep == .none, isShort { sweepSlice(on: loop) }
        trimMemory(on: loop)
        context.metrics.sessions = tables.reduce(0) { $0 + $1.count }
        context.metrics.watchers = context.sessions.watcherCount
        context.publishMetrics(on: loop)
    }

    /// Gives back what stores at rest have left, once no more of them follow.
    private func trimMemory(on loop: isolated EventLoop) {
        let count = context.sessions.restedCount
        defer { trimming.lastCount = count }
        guard count >= Self.trimmedCount,
            count == trimming.lastCount || loop.now >= trimming.next
        else { return }
        context.sessions.restedCount = 0
        trimming.next = loop.now.advanced(by: Self.trimmingPause)
        loop.trimMemory()
    }

    // MARK: Deadlines

    private func lookAtDue(on loop: isolated EventLoop) {
        for _ in 0..<Self.turnCount {
            guard let session = context.deadlines.next(at: loop.now) else { return }
            look(at: session, on: loop)
        }
        isLooking = true
        _ = loop.schedule(after: Self.pause, self)
    }

    /// Does what is due of a session: a silent stream is spoken to, a fact told, what can be made
    /// again let go of, an idle session ended. Finds the next instant at which something is.
    private func look(at session: Session, on loop: isolated EventLoop) {
        guard let mount = mounts.firstIndex(where: { $0.name == session.mountName }) else { return }
        let now = loop.now
        if session.watcherCount > 0 {
            let silence = context.performer.breakSilence(of: session, on: loop)
            if let silence { context.deadlines.expect(session, by: silence) }
        }
        facts.tellDue(of: session, on: loop)
        if context.feeds.isRead(session) { session.noteUse(at: now) }
        let end = end(of: session, mount)
        if session.isUnused {
            if now >= end { return close(session, mount: mount, .ended, on: loop) }
            context.deadlines.expect(session, by: end)
        } else {
            let lifetime = session.lastUse.duration(to: end)
            let pause = max(Self.second, min(lifetime, Self.busyDuration))
            context.deadlines.expect(session, by: max(end, now.advanced(by: pause)))
        }
        if let caches = session.dropCaches(isTight: false, at: now) {
            context.deadlines.expect(session, by: caches)
        }
    }

    /// A request is about a session.
    @inline(__always)
    func noteUse(of session: Session, at now: Instant) {
        session.noteUse(at: now)
        context.deadlines.expect(session, by: session.endOfCaches(usedAt: now))
    }

    /// The instant at which a session ends that is not used meanwhile.
    func end(of session: Session, _ mount: Int) -> Instant {
        let limits = context.sessions.limits
        let lifetime = mounts[mount].lifetime ?? limits.idleDuration
        return session.lastUse.advanced(
            by: session.past.frozen == nil ? lifetime : min(lifetime, limits.frozenDuration))
    }

    // MARK: Where something is short

    /// There is little room for more sessions, or for what they hold.
    private var isShort: Bool { context.sessions.budget.isTight || quota.isAlmostFull }

    /// Visits a slice of all sessions, as long as there is little room: once a second each.
    private func sweepSlice(on loop: isolated EventLoop) {
        let isLarge = tables.reduce(0) { $0 + $1.count } > Self.largeCount
        repeat { visitSlice(on: loop) } while !isLarge && !round.hasEnded
        guard round.hasEnded else {
            sweep = loop.schedule(after: Self.second / SlicedRound.sliceCount, self)
            return
        }
        if !dispensable.isEmpty { makeRoom(on: loop) }
    }

    private func visitSlice(on loop: isolated EventLoop) {
        let isTight = context.sessions.budget.isTight
        let isFull = quota.isAlmostFull
        let endOfMeasuring = loop.now.advanced(by: Self.measuringDuration)
        for (mount, table) in tables.enumerated() {
            table.forEach(inChains: round.slice(of: table.chainCount)) { session in
                if isFull, dispensable.count < Self.dispensableCount, mayGo(session, on: loop) {
                    dispensable.append((session, mount))
                }
                guard isTight else { return }
                session.dropCaches(isTight: true, at: loop.now)
                if Instant.readCoarse() < endOfMeasuring { session.measureIfUnknown() }
            }
        }
        round.visited(0)
    }

    /// A session may go to make room: it was made and never posted to, and is neither used
    /// nor young.
    private func mayGo(_ session: Session, on loop: isolated EventLoop) -> Bool {
        !session.past.wasPostedTo && session.isUnused
            && loop.now >= session.opened.advanced(by: context.sessions.limits.unpostedDuration)
    }

    /// Ends sessions that may go, of those that the round has found the ones first that were not
    /// asked for the longest: a hundredth of what the server may keep.
    private func makeRoom(on loop: isolated EventLoop) {
        var found = dispensable.filter { !$0.session.isEnded && mayGo($0.session, on: loop) }
        dispensable = []
        found.sort { $0.session.lastUse < $1.session.lastUse }
        for (session, mount) in found.prefix(max(1, context.sessions.limits.sessionCount / 100)) {
            close(session, mount: mount, .ended, on: loop)
        }
    }
}
