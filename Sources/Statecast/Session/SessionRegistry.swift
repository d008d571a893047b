import HTTPMessages
import HTTPServer
import Journaling
import Sockets
import Synchronization

/// The sessions of one loop.
final class SessionRegistry: TurnEndHandler, TimerHandler {
    let context: SessionContext
    let mounts: [any MountedApplication]
    private var tables: [SessionTable]
    private var ended: [EndedSessions]
    private let total: SessionTotal

    init(
        context: SessionContext, mounts: [any MountedApplication], total: SessionTotal,
        on loop: isolated EventLoop
    ) {
        self.context = context
        self.mounts = mounts
        self.total = total
        tables = Array(repeating: SessionTable(), count: mounts.count)
        ended = Array(repeating: EndedSessions(), count: mounts.count)
        loop.onTurnEnd(self)
        _ = loop.schedule(after: .seconds(1), self)
    }

    /// The session that a request is about.
    func find(_ id: Slice, _ hash: UInt64, mount: Int, in bytes: Span<UInt8>) -> Session? {
        tables[mount].find(id, hash, in: bytes)
    }

    /// Whether a session of this id has ended lately.
    func hasEnded(_ id: SessionID, mount: Int) -> Bool {
        ended[mount].contains(id.description, at: context.now(), context.limits)
    }

    /// Makes a session; nil where there are as many as allowed.
    func create(
        _ id: SessionID, hash: UInt64, mount: Int, on loop: isolated EventLoop
    ) -> Session? {
        guard total.enter(limit: context.limits.sessionCount) else { return nil }
        let session = mounts[mount].makeSession(
            id, hash: hash, context: context, now: context.now(), at: loop.now)
        tables[mount].insert(session)
        // By its name: a weak reference would cost every use of the session, and its memory.
        let (name, epoch) = (session.mountName, session.epoch)
        session.store.onSettled { [weak self] _ in
            guard let self, let session = self.session(name, id, epoch: epoch) else { return }
            settled.append(session)
        }
        session.store.startEffects()
        afterEffects(of: session, on: loop)
        return session
    }

    /// Ends a session for good: its id is gone for a while.
    func end(_ session: Session, mount: Int, on loop: isolated EventLoop) {
        ended[mount].insert(session.id.description, at: context.now(), context.limits)
        close(session, mount: mount, event: "end", .sessionEnded, on: loop)
    }

    /// Lets go of a session, with its effects, streams and held answers; its id may come back at
    /// once.
    private func close(
        _ session: Session, mount: Int, event: String, _ problem: ProblemDetails,
        on loop: isolated EventLoop
    ) {
        tables[mount].remove(session)
        total.leave()
        session.isEnded = true
        session.store.cancelEffects()
        session.endStreams(event, on: loop)
        session.endWaiters(problem, on: loop)
        session.refuseUncommitted(problem, on: loop)
        for answer in session.settling { answer.conclude(isSettled: false, on: loop) }
    }

    // MARK: What comes back

    private var settled: [Session] = []

    func turnEnded(on loop: isolated EventLoop) {
        for errand in context.inbox.takeAll() { errand(self, loop) }
        answerSettled(on: loop)
    }

    private func answerSettled(on loop: isolated EventLoop) {
        while let session = settled.popLast() {
            if !session.isEnded, !session.settling.isEmpty { session.answerSettled(on: loop) }
        }
    }

    /// An effect has reported: what it dispatches takes the way of every action.
    func afterEffects(of session: Session, on loop: isolated EventLoop) {
        guard session.frozen == nil else { return }
        if context.journal.commitsInline {
            while session.store.stageFollowUps() {
                session.store.commit(through: session.store.headVersion)
            }
            session.publish(context, on: loop)
        } else if session.store.stageFollowUps() {
            session.journalUncommitted(context, on: loop)
        }
        if !session.settling.isEmpty { settled.append(session) }
    }

    /// The session of a name, if it is still the same one.
    func session(_ mount: String, _ id: SessionID, epoch: String) -> Session? {
        guard let index = mounts.firstIndex(where: { $0.name == mount }) else { return nil }
        let hash = RouteHash.of(Array(id.description.utf8))
        guard let session = tables[index].find(id, hash), session.epoch == epoch
        else { return nil }
        return session
    }

    /// The journal has answered.
    func journaled(
        _ mount: String, _ id: SessionID, epoch: String, through version: UInt64,
        _ outcome: AppendOutcome, on loop: isolated EventLoop
    ) {
        guard let session = session(mount, id, epoch: epoch),
            let index = mounts.firstIndex(where: { $0.name == mount })
        else { return }
        guard session.journalAnswered(outcome, through: version, context, on: loop) else {
            return close(session, mount: index, event: "busy", .outcomeUnknown, on: loop)
        }
        if !session.settling.isEmpty { session.answerSettled(on: loop) }
    }

    // MARK: Time

    /// Once a second: silent streams are spoken to, idle sessions end.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        _ = loop.schedule(after: .seconds(1), self)
        context.diagnostics.closeWindows(at: loop.now)
        var watchers = 0
        var count = 0
        for (mount, table) in tables.enumerated() {
            var idle: [Session] = []
            table.forEach { session in
                count += 1
                watchers += session.watcherCount
                if session.watcherCount > 0 {
                    session.breakSilence(context, on: loop)
                } else if session.isUnused,
                    loop.now >= session.lastUse.advanced(by: context.limits.idleDuration)
                {
                    idle.append(session)
                }
            }
            for session in idle {
                close(session, mount: mount, event: "end", .sessionEnded, on: loop)
            }
        }
        context.metrics.sessions = count
        context.metrics.watchers = watchers
        context.publishMetrics(on: loop)
    }
}

/// How many sessions all loops keep together.
final class SessionTotal: Sendable {
    private let count = Atomic<Int>(0)

    /// Counts one more; false, and not counted, at the limit.
    func enter(limit: Int) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Counts one less.
    func leave() {
        count.subtract(1, ordering: .relaxed)
    }
}
