import Sessions
import Sockets

extension SessionRegistry: TimerHandler {
    /// A loop with more sessions than this visits a slice of them at a time.
    private static let largeCount = 2048
    /// The most sessions that are looked at when room is made.
    private static let dispensableCount = 4096
    /// Measuring states that nobody has asked for may take so much of a turn.
    private static let measuringDuration = Duration.milliseconds(5)

    /// All sessions are visited once a second: silent streams are spoken to, idle sessions end,
    /// what each one holds is counted.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        let isLarge = tables.reduce(0) { $0 + $1.count } > Self.largeCount
        let second = Duration.seconds(1)
        _ = loop.schedule(after: isLarge ? second / SlicedRound.sliceCount : second, self)
        context.diagnostics.closeWindows(at: loop.now)
        repeat { visitSlice(on: loop) } while !isLarge && !round.hasEnded
        if round.hasEnded { roundEnded(on: loop) }
    }

    private func visitSlice(on loop: isolated EventLoop) {
        let isTight = context.sessions.budget.isTight
        let isFull = quota.isAlmostFull
        let endOfMeasuring = loop.now.advanced(by: Self.measuringDuration)
        var watcherCount = 0
        for (mount, table) in tables.enumerated() {
            var idle: [Session] = []
            table.forEach(inChains: round.slice(of: table.chainCount)) { session in
                watcherCount += session.watcherCount
                if session.watcherCount > 0 {
                    context.performer.breakSilence(of: session, on: loop)
                } else if session.isUnused, loop.now >= end(of: session, mount) {
                    idle.append(session)
                }
                if isFull, dispensable.count < Self.dispensableCount, mayGo(session, on: loop) {
                    dispensable.append((session, mount))
                }
                session.dropCaches(isTight: isTight, at: loop.now)
                if isTight, Instant.readCoarse() < endOfMeasuring { session.measureIfUnknown() }
                session.countMemory()
            }
            for session in idle { close(session, mount: mount, .ended, on: loop) }
        }
        round.visited(watcherCount)
    }

    private func roundEnded(on loop: isolated EventLoop) {
        reopenUnopened(on: loop)
        context.feeds.noteUse(on: loop)
        facts.tellDue(on: loop)
        if context.sessions.budget.isTight { dropFiles() }
        if !dispensable.isEmpty { makeRoom(on: loop) }
        context.metrics.sessions = tables.reduce(0) { $0 + $1.count }
        context.metrics.watchers = round.sum
        context.publishMetrics(on: loop)
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

    /// The instant at which a session ends that is not used meanwhile.
    private func end(of session: Session, _ mount: Int) -> Instant {
        let limits = context.sessions.limits
        let lifetime = mounts[mount].lifetime ?? limits.idleDuration
        return session.lastUse.advanced(
            by: session.past.frozen == nil ? lifetime : min(lifetime, limits.frozenDuration))
    }
}
