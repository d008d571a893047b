import Journaling
import Sessions
import Sockets

extension SessionRegistry: TimerHandler {
    /// The most sessions that are looked at in one turn: whoever posts meanwhile waits for these.
    private static let turnCount = 64
    /// The pause before the next of them.
    private static let pause = Duration.milliseconds(2)
    /// A session that is not idle is looked at so often, whether it has become so.
    private static let busyDuration = Duration.seconds(60)
    private static let second = Duration.seconds(1)
    /// A session that a journal keeps stays in memory for so long after the last request.
    private static let sleepDuration = Session.keptDuration
    /// Where memory is short, one that was used within the last second stays all the same.
    private static let longestHaste = sleepDuration - second
    /// Where none of them may sleep, they are not looked at before their time for twice as long as after
    /// the look before, and at most for so long.
    private static let longestUnhurriedDuration = Duration.seconds(16)
    /// The longest time that one waits for a place in memory: less than the requests wait for that.
    private static let seekingDuration = Duration.milliseconds(1_500)
    /// The most sessions that are looked at in one turn to make room.
    private static let roomLookCount = 4096
    /// So many stores that have gone to rest leave enough behind to give it back to the kernel. That
    /// holds the loop up for some milliseconds, and so is not done more often while they go.
    private static let trimmedCount = 1024
    private static let trimmingPause = Duration.seconds(60)
    /// Measuring states that nobody has asked for may take so much of a turn.
    private static let measuringDuration = Duration.milliseconds(5)

    /// Once a second the sessions are looked at of which something is due, and numbers are told.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        if timer == tick {
            tick = loop.schedule(after: Self.second, self)
            tickPassed(on: loop)
            if isLooking { return }
        }
        isLooking = false
        lookAtDue(on: loop)
        let seekers = seekers
        self.seekers = []
        for seeker in seekers { seeker.resume() }
    }

    /// Counts one more session in memory; where others may sleep for it, they do so first.
    func takePlace(on loop: isolated EventLoop) async -> Bool {
        let end = loop.now.advanced(by: Self.seekingDuration)
        while !quota.enter() {
            guard context.sessions.keepsEntries, loop.now < end, hurry.next < end else {
                return false
            }
            if haste > .zero, !isLooking {
                isLooking = true
                _ = loop.schedule(after: Self.pause, self)
            }
            await withCheckedContinuation { seekers.append($0) }
        }
        return true
    }

    private func tickPassed(on loop: isolated EventLoop) {
        context.diagnostics.closeWindows(at: loop.now)
        if loop.index == 0 {
            context.diagnostics.look(at: context.sessions.journal.status, now: loop.now)
        }
        goOn(with: lives.takeOverdue(at: loop.now), .failed(.busy))
        if quota.isAlmostFull, !context.sessions.keepsEntries { makeRoom(on: loop) }
        if context.sessions.budget.isTight { files.dropCache() }
        if loop.now >= hurry.next { (haste, hurry.hasFreed) = (Self.longestHaste, false) }
        trimMemory(on: loop)
        let losses = context.sessions.journal.lossCount
        if losses != lossCount
            || context.sessions.isShared && !context.sessions.journal.shows(nil, anew: false)
        {
            lossCount = losses
            for session in tables.flatMap(\.all)
            where session.watcherCount + session.waiterCount > 0 || context.feeds.isRead(session) {
                _ = letGo(of: session, on: loop)
            }
        }
        wakeDue(on: loop)
        tellOthers(on: loop)
        tryOthers(on: loop)
        sweep(on: loop)
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
        let endOfMeasuring = Instant.read().advanced(by: Self.measuringDuration)
        for _ in 0..<Self.turnCount {
            guard
                let session = performer.deadlines.next(at: loop.now) ?? nextBeforeTime(at: loop.now)
            else { return }
            look(at: session, measuringUntil: endOfMeasuring, on: loop)
        }
        isLooking = true
        _ = loop.schedule(after: Self.pause, self)
    }

    /// There is too little memory, or are too many sessions in it, of which some may sleep.
    private var hasNoRoom: Bool {
        context.sessions.budget.isTight
            || context.sessions.keepsEntries && quota.lacksRoom(isMakingRoom: hurry.hasFreed)
    }

    /// Where room is short, those are looked at before their time that were not used for the longest,
    /// until it is not, or all that could go have gone.
    private func nextBeforeTime(at now: Instant) -> Session? {
        while haste > .zero, hasNoRoom {
            haste -= Self.second
            performer.deadlines.hurry(by: Self.second)
            if haste <= .zero, !hurry.hasFreed {
                hurry.pause = min(hurry.pause * 2, Self.longestUnhurriedDuration)
                hurry.next = now.advanced(by: hurry.pause)
            }
            if let session = performer.deadlines.next(at: now) { return session }
        }
        return nil
    }

    /// Does what is due of a session: a silent stream is spoken to, a fact told, what can be made
    /// again let go of, an idle session ended. Finds the next instant at which something is.
    private func look(
        at session: Session, measuringUntil endOfMeasuring: Instant, on loop: isolated EventLoop
    ) {
        guard !session.isEnded else { return }
        if context.sessions.isShared, letGo(of: session, on: loop) { return }
        let now = loop.now
        if session.isInDoubt { reopen(session, on: loop) }
        if session.watcherCount > 0 { performer.breakSilence(of: session, on: loop) }
        facts.tellDue(of: session, on: loop)
        let isRead = context.feeds.isRead(session)
        if isRead { session.noteUse(at: now) }
        let end = end(of: session)
        let sleeps = sleeps(session)
        let isTight = context.sessions.budget.isTight
        let early = sleeps && hasNoRoom ? Self.longestHaste - haste : .zero
        if !isRead, sleeps ? session.allowsSleep && !isOpening(session) : session.isUnused {
            if now.advanced(by: early) >= end {
                if sleeps { layToRest(session, on: loop) } else { close(session, on: loop) }
                hurry = (true, Self.second / 2, now)
                return
            }
            performer.deadlines.expect(session, by: end, early: early)
        } else {
            let lifetime = session.lastUse.duration(to: end)
            let pause = max(Self.second, min(lifetime, Self.busyDuration))
            performer.deadlines.expect(session, by: max(end, now.advanced(by: pause)))
        }
        let caches = session.dropCaches(
            isTight: isTight,
            measures: Instant.readCoarse() < endOfMeasuring,
            at: now)
        if let caches { performer.deadlines.expect(session, by: caches) }
    }

    /// The journal keeps the session while it is not in memory.
    private func sleeps(_ session: Session) -> Bool {
        context.sessions.keepsEntries && !session.isReplay
    }

    /// The instant at which a session ends that is not used meanwhile, or goes to sleep.
    func end(of session: Session) -> Instant {
        // The one who follows another server ends it.
        if session.store.isFollowing { return .never }
        let limits = context.sessions.limits
        var duration = mounts[session.mount].lifetime ?? limits.idleDuration
        if session.frozen != nil { duration = min(duration, limits.frozenDuration) }
        if sleeps(session) { duration = min(duration, Self.sleepDuration) }
        return session.lastUse.advanced(by: duration)
    }

    /// Ends sessions in memory that were made and never posted to, those first that were not used for the
    /// longest: a hundredth of what the server may keep.
    private func makeRoom(on loop: isolated EventLoop) {
        let limits = context.sessions.limits
        var room = max(1, limits.sessionCount / 100)
        for _ in 0..<Self.roomLookCount {
            guard room > 0,
                let session = unposted.takeFirst(olderThan: limits.unpostedDuration, at: loop.now)
            else { return }
            if session.isEnded || session.wasPostedTo { continue }
            guard session.isUnused,
                loop.now >= session.lastUse.advanced(by: limits.unpostedDuration)
            else {
                unposted.add(session, at: loop.now)
                continue
            }
            close(session, on: loop)
            room -= 1
        }
    }
}
