import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// The sessions of one loop.
final class SessionRegistry {
    let context: ServingContext
    private var limits: SessionLimits { context.sessions.limits }
    private var performer: StepPerformer { context.performer }
    let mounts: [any MountedApplication]
    private(set) var tables: [SessionTable]
    private var ended: [EndedSessions]
    private var openings: [SessionName: OpeningSession] = [:]
    /// Sessions in doubt that the journal would not open: the next round tries again.
    private var unopened: [Session] = []
    let quota: SessionQuota
    /// Lets go of the files that are kept in memory.
    let dropFiles: () -> Void
    /// Sessions that the present round has found, and that may go to make room.
    var dispensable: [(session: Session, mount: Int)] = []
    /// The round of visits to all sessions, where room is short.
    var round = SlicedRound()
    /// The timers of the next second, and of the next slice where there is one.
    var tick = Timer.none
    var sweep = Timer.none
    /// The number of stores at rest a second ago, and when unused memory is given back although more
    /// follow.
    var trimming = (lastCount: 0, next: Instant(nanoseconds: 0))
    /// A timer goes on with sessions that are to be looked at.
    var isLooking = false
    let endings: SessionEndings
    /// Tells applications what becomes of their sessions.
    let facts: SessionFacts
    let replays: Replays

    init(
        context: ServingContext, mounts: [any MountedApplication], quota: SessionQuota,
        dropFiles: @escaping () -> Void = {}, on loop: isolated EventLoop
    ) {
        self.context = context
        self.mounts = mounts
        self.quota = quota
        self.dropFiles = dropFiles
        endings = SessionEndings(context: context)
        facts = SessionFacts(context: context)
        replays = Replays(context: context, quota: quota)
        tables = Array(repeating: SessionTable(), count: mounts.count)
        ended = Array(repeating: EndedSessions(), count: mounts.count)
        tick = loop.schedule(after: .seconds(1), self)
    }

    /// The session of an id, given by its characters and their hash.
    func find(_ id: Span<UInt8>, _ hash: UInt64, mount: Int) -> Session? {
        tables[mount].find(id, hash)
    }

    /// The session of an id.
    func find(_ id: SessionID, mount: Int) -> Session? { tables[mount].find(id) }

    /// True where a session of this id has ended lately, or its application still forgets it.
    func hasEnded(_ id: SessionID, mount: Int) -> Bool {
        ended[mount].contains(id.description, at: context.now(), limits)
            || endings.contains(id, mount: mounts[mount].name)
    }

    // MARK: Opening

    /// Opens a session that is not here: takes it over from the journal or, where the journal has
    /// none, makes it as is wished. Nil where the journal takes its time; see `wait(for:)`.
    ///
    /// A session that is there is opened whatever the wish says: its application is asked first, and
    /// what it has begun, or refused, counts where there is none.
    ///
    /// - Parameter start: the new session; nil for one who only asks for it.
    func open(
        _ id: SessionID, mount: Int, making start: SessionStart? = nil, on loop: isolated EventLoop
    ) -> SessionOpening? {
        let name = SessionName(mount: mounts[mount].name, id: id.description)
        guard openings[name] == nil else { return nil }
        guard start == nil || !context.sessions.budget.isExceeded else {
            return .failed(.shortOfMemory)
        }
        let entrance = Entrance(start, id, mounts[mount], quota, at: context.now())
        let opening = OpeningSession()
        let journal = context.sessions.journal
        Task.immediate {
            let result: SessionOpening
            do throws(JournalFailure) {
                let opened = try await journal.open(name, making: entrance.new)
                result = self.opened(opened, id, mount, entrance, on: loop)
            } catch {
                result = .failed(ProblemDetails(error))
            }
            if case .here = result {} else { entrance.leave(quota) }
            self.openings[name] = nil
            opening.finish(result, on: loop)
        }
        if let result = opening.result { return result }
        openings[name] = opening
        return nil
    }

    /// Has a request of so many bytes wait for a session that is being opened; throws where too
    /// many wait already.
    func wait(
        for id: SessionID, mount: Int, _ byteCount: Int, on loop: isolated EventLoop,
        _ request: @escaping OpeningSession.Continuation
    ) throws(ProblemDetails) {
        let name = SessionName(mount: mounts[mount].name, id: id.description)
        guard let opening = openings[name] else { throw .busy }
        try opening.wait(byteCount, on: loop, request)
    }

    private func opened(
        _ opened: OpenedSession?, _ id: SessionID, _ mount: Int, _ entrance: Entrance,
        on loop: isolated EventLoop
    ) -> SessionOpening {
        guard let opened else { return entrance.withoutSession }
        let isKept = opened.document != nil
        let hasEntered = entrance.new != nil
        if isKept, !hasEntered {
            guard !context.sessions.budget.isExceeded else { return .failed(.shortOfMemory) }
            guard quota.enter(nil) else { return .failed(.tooManySessions) }
        }
        guard let store = makeStore(id, opened, entrance.started, mount) else {
            if isKept, !hasEntered { quota.leave(nil) }
            return .failed(.unreadable)
        }
        if isKept { quota.disown(entrance.maker) }
        let session = Session(
            id: id, mount: mounts[mount].name, opened: opened, store: store,
            maker: isKept ? nil : entrance.maker, .live(keepsEntries: mounts[mount].keepsEntries),
            at: context.now(), loop.now, context.sessions)
        insert(session, mount: mount)
        begin(session, isRestored: isKept, on: loop)
        return .here(session, isNew: !isKept)
    }

    /// Takes a session in. Nothing of it is due before its caches are old, or it has to end.
    func insert(_ session: Session, mount: Int) {
        tables[mount].insert(session)
        context.deadlines.expect(session, by: end(of: session, mount))
        noteUse(of: session, at: session.lastUse)
    }

    private func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ started: (any StartedState)?, _ mount: Int
    ) -> (any TakesActions)? {
        do throws(DecodingFailure) {
            return try mounts[mount].makeStore(id, opened, started, context)
        } catch {
            context.logger.error(
                "A session cannot be read: \(error.detail)",
                metadata: ["session": "\(mounts[mount].name)/\(id)"])
            return nil
        }
    }

    /// Starts what a session's state asks for.
    ///
    /// - Parameter isRestored: its state comes from the journal.
    private func begin(_ session: Session, isRestored: Bool, on loop: isolated EventLoop) {
        if isRestored { facts.sayRestored(session, on: loop) }
        session.actions?.startWork()
        afterEffects(of: session, on: loop)
    }

    /// Opens a session again whose journal could not say what it has kept.
    private func reopen(_ session: Session, on loop: isolated EventLoop) {
        let name = SessionName(mount: session.mountName, id: session.id.description)
        let journal = context.sessions.journal
        Task.immediate {
            do throws(JournalFailure) {
                self.reopened(session, try await journal.open(name, making: nil), on: loop)
            } catch {
                self.unopened.append(session)
            }
        }
    }

    private func reopened(
        _ session: Session, _ opened: OpenedSession?, on loop: isolated EventLoop
    ) {
        guard !session.isEnded,
            let mount = mounts.firstIndex(where: { $0.name == session.mountName })
        else { return }
        guard let opened, opened.document != nil else {
            return close(session, mount: mount, .ended, on: loop)
        }
        if session.holds(opened) {
            session.reopen(opened, nil)
            return afterEffects(of: session, on: loop)
        }
        guard let store = makeStore(session.id, opened, nil, mount) else {
            return close(session, mount: mount, .ended, on: loop)
        }
        session.reopen(opened, store)
        performer.beginAnew(session)
        performer.answers.answerSettled(of: session, isOver: true, on: loop)
        performer.endWaiters(of: session, .busy, on: loop)
        context.feeds.goOn(with: session)
        begin(session, isRestored: true, on: loop)
    }

    // MARK: Ending

    /// Ends a session for good: its id is gone for a while. Tells the one who wants that once the
    /// application has forgotten it.
    func end(
        _ session: Session, mount: Int, telling waiter: SessionEnding.Waiter,
        on loop: isolated EventLoop
    ) {
        guard endings.hasRoom else { return waiter.refuse(.tooManyEndings, on: loop) }
        ended[mount].insert(session.id.description, at: context.now(), limits)
        close(session, mount: mount, .ended, on: loop)
        // An application knows nothing of a replay that it could forget.
        if session.past.isReplay { return waiter.answer(isForgotten: true, on: loop) }
        endings.begin(session.id, of: mounts[mount], telling: waiter, on: loop)
    }

    /// Has the application forget an id that no session has now: one that was may have left
    /// something. Answers 404 then.
    func forget(
        _ id: SessionID, mount: Int, answering exchange: Exchange, on loop: isolated EventLoop
    ) {
        let waiter = SessionEnding.Waiter.absent(exchange)
        guard endings.hasRoom else { return waiter.refuse(.tooManyEndings, on: loop) }
        endings.begin(id, of: mounts[mount], telling: waiter, on: loop)
    }

    /// Lets go of a session, with its effects, streams and held answers; its id may come back at
    /// once.
    func close(
        _ session: Session, mount: Int, _ reason: SessionClosing, on loop: isolated EventLoop
    ) {
        guard !session.isEnded else { return }
        tables[mount].remove(session)
        context.deadlines.remove(session)
        quota.leave(session.maker)
        session.end()
        replays.end(session, on: loop)
        facts.forget(session)
        context.feeds.end(of: session, with: reason.error)
        performer.endStreams(of: session, reason.rawValue, on: loop)
        performer.endWaiters(of: session, reason.problem, on: loop)
        performer.perform(session, on: loop)
        performer.answers.answerSettled(of: session, isOver: true, on: loop)
    }

    // MARK: What comes back

    private var settled: [Session] = []

    /// Runs what effects and the journal have left.
    func takeMessages(on loop: isolated EventLoop) {
        for job in context.inbox.takeAll() { job(self, loop) }
    }

    /// Answers those whose effects have all ended; opens sessions in doubt again, and lets those go
    /// that another server has.
    func answerSettled(on loop: isolated EventLoop) {
        if let failed = performer.takeFailed() { attend(failed.doubtful, failed.lost, on: loop) }
        while let (mount, id, incarnation) = context.settled.popLast() {
            if let session = session(mount, id, incarnation) { settled.append(session) }
        }
        while let session = settled.popLast() {
            if !session.isEnded { performer.answers.answerSettled(of: session, on: loop) }
        }
    }

    /// Submits what effects or the opening have caused: it takes the way of every action.
    func afterEffects(of session: Session, on loop: isolated EventLoop) {
        session.submitCausedActions()
        performer.perform(session, on: loop)
        if session.settlingCount > 0 { settled.append(session) }
    }

    /// The session of a name, if its store is still the same one.
    func session(_ mount: String, _ id: SessionID, _ incarnation: UInt64) -> Session? {
        guard let index = mounts.firstIndex(where: { $0.name == mount }),
            let session = tables[index].find(id), session.actions?.incarnation == incarnation
        else { return nil }
        return session
    }

    /// The journal has answered for these batches: each session goes on once, with all of its own.
    func appended(_ outcomes: [TicketOutcome], on loop: isolated EventLoop) {
        var sessions: [Session] = []
        for outcome in outcomes {
            if let session = context.sessions.appended(outcome) { sessions.append(session) }
        }
        for session in sessions {
            performer.perform(session, on: loop)
            performer.answers.answerSettled(of: session, on: loop)
        }
    }

    /// Opens sessions in doubt again, and lets those go that another server has.
    private func attend(_ doubtful: [Session], _ lost: [Session], on loop: isolated EventLoop) {
        for session in doubtful where !session.isEnded { reopen(session, on: loop) }
        for session in lost {
            guard let mount = mounts.firstIndex(where: { $0.name == session.mountName })
            else { continue }
            close(session, mount: mount, .moved, on: loop)
        }
    }

    /// Tries again to open those sessions in doubt that the journal would not open.
    func reopenUnopened(on loop: isolated EventLoop) {
        let unopened = unopened
        self.unopened = []
        for session in unopened where !session.isEnded { reopen(session, on: loop) }
    }
}
