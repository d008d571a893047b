import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// The sessions of one loop.
final class SessionRegistry {
    let context: ServingContext
    let mounts: [any MountedApplication]
    private(set) var tables: [SessionTable]
    private var ended: [EndedSessions]
    var openings: [SessionName: OpeningSession] = [:]
    /// The sessions whose alarm is due to the journal, and which have nothing to do.
    var hasSlept: Set<SessionName> = []
    var isWaking = false
    /// The sessions of the last calls to wake up that were due still.
    var called: Set<SessionName> = []
    let endings: SessionEndings
    /// Tells applications what becomes of their sessions.
    let facts: SessionFacts
    let replays: Replays
    let routes: RoutesResource
    let quota: SessionQuota

    // What `SessionRegistry+Time` looks after.
    /// The pages, some of which are kept in memory; nil for none.
    let files: StaticFiles?
    /// The first of these go where room is short.
    var unposted = UnpostedSessions()
    /// The timer of the next second.
    var tick = Timer.none
    /// The number of stores at rest a second ago, and when unused memory is given back although more
    /// follow.
    var trimming = (lastCount: 0, next: Instant(nanoseconds: 0))
    /// A timer goes on with sessions that are to be looked at.
    var isLooking = false

    var limits: SessionLimits { context.sessions.limits }
    var performer: StepPerformer { context.performer }

    init(_ shared: ServerParts, on loop: isolated EventLoop) {
        context = ServingContext(shared, on: loop)
        (mounts, quota) = (shared.mounts, shared.quota)
        files = shared.pages.map { StaticFiles($0, limits: shared.configuration.limits) }
        endings = SessionEndings(context: context)
        facts = SessionFacts(context: context)
        replays = Replays(context: context, quota: quota)
        routes = RoutesResource(context: context)
        tables = mounts.map { _ in SessionTable() }
        ended = mounts.map { _ in EndedSessions() }
        tick = loop.schedule(after: .seconds(1), self)
    }

    // MARK: Finding

    /// The session of an id, given by its characters and their hash.
    func find(_ id: Span<UInt8>, _ hash: UInt64, mount: Int) -> Session? {
        tables[mount].find(id, hash)
    }

    func find(_ id: SessionID, mount: Int) -> Session? { tables[mount].find(id) }

    /// The session of a name, if its store is still the same one.
    func session(_ mount: String, _ id: SessionID, _ incarnation: UInt64) -> Session? {
        guard let index = mounts.firstIndex(where: { $0.name == mount }),
            let session = tables[index].find(id), session.actions?.incarnation == incarnation
        else { return nil }
        return session
    }

    /// True where a session of this id has ended lately, or its application still forgets it.
    func hasEnded(_ id: SessionID, mount: Int) -> Bool {
        ended[mount].contains(id.description, at: context.now(), limits)
            || endings.contains(id, mount: mounts[mount].name)
    }

    /// Goes on with a session, for the server's own code: at once, or when the journal has answered.
    ///
    /// - Parameter start: the session that is made where there is none.
    func reach(
        _ id: SessionID, mount: Int, making start: SessionStart? = nil,
        on loop: isolated EventLoop,
        _ goOn: @escaping (Result<Session, SessionError>) -> Void
    ) {
        let known = find(id, mount: mount)
        if let known {
            noteUse(of: known, at: loop.now)
            if !known.lacksKeys { return goOn(.success(known)) }
        }
        guard !hasEnded(id, mount: mount) else { return goOn(.failure(.ended)) }
        do throws(ProblemDetails) {
            let opening =
                known.map { fetchKeys(of: $0, on: loop) }
                ?? open(id, mount: mount, making: start, on: loop)
            try opening.then(on: loop) { [self] outcome in
                switch outcome {
                // Another one has asked for the session, and that did not make it.
                case .absent where start != nil, .asleep:
                    reach(id, mount: mount, making: start, on: loop, goOn)
                case .here(let session, _) where session.lacksKeys && !session.isEnded:
                    reach(id, mount: mount, making: start, on: loop, goOn)
                default: goOn(outcome.result)
                }
            }
        } catch {
            goOn(.failure(SessionError(error)))
        }
    }

    // MARK: Opening

    /// Opens a session that is not here: takes it over from the journal or, where the journal has
    /// none, makes it as is wished. The journal may take its time.
    ///
    /// A session that is there is opened whatever the wish says: its application is asked first, and
    /// what it has begun, or refused, counts where there is none.
    ///
    /// - Parameter start: the new session; nil for one who only asks for it.
    func open(
        _ id: SessionID, mount: Int, making start: SessionStart? = nil, on loop: isolated EventLoop
    ) -> OpeningSession {
        let name = SessionName(mount: mounts[mount].name, id: id.description)
        if let opening = openings[name] { return opening }
        let opening = OpeningSession()
        guard start == nil || !context.sessions.budget.isExceeded else {
            opening.finish(.failed(.shortOfMemory), on: loop)
            return opening
        }
        let (beginning, absent) = begin(start, id, mount)
        let journal = context.sessions.journal
        Task.immediate {
            var (result, maker) = (absent, beginning.map { $0.maker })
            do throws(JournalFailure) {
                if let opened = try await journal.open(name, making: beginning?.new) {
                    result = self.enter(opened, id, mount, beginning, on: loop)
                }
            } catch {
                result = .failed(ProblemDetails(.notKept(error)))
            }
            if case .here(let session, let isNew) = result {
                if session.needsMigration, let refusal = await self.migrate(session, on: loop) {
                    (result, maker) = (.failed(ProblemDetails(refusal)), .some(nil))
                    session.end()
                } else {
                    self.insert(session, at: loop.now)
                    self.begin(session, isRestored: !isNew, on: loop)
                }
            }
            if case .here = result {} else if let maker { quota.leave(maker) }
            self.openings[name] = nil
            opening.finish(result, on: loop)
        }
        if opening.result == nil { openings[name] = opening }
        return opening
    }

    /// The beginning that an application has made of a session, which has a place among all.
    private typealias Beginning = (maker: SessionMaker?, started: any StateValue, new: NewSession)

    /// Has an application begin the session that is wished for, and enters it among all sessions.
    ///
    /// - Returns: also the outcome where the journal has no session.
    private func begin(
        _ start: SessionStart?, _ id: SessionID, _ mount: Int
    ) -> (Beginning?, absent: SessionOpening) {
        guard let start else { return (nil, .absent) }
        let epoch = Step.randomEpoch()
        do throws(Refusal) {
            let started = try mounts[mount].start(id, start, epoch: epoch)
            guard quota.enter(start.maker) else { return (nil, .failed(.tooManySessions)) }
            let new = NewSession(
                epoch: epoch, created: context.now(), schema: mounts[mount].schemaVersion
            ) { () throws(EncodingFailure) in
                try StateEncoder().bytes(of: started)
            } secrets: { () throws(EncodingFailure) in
                let form = try StateEncoder().form(of: started, after: nil, keepingSecrets: true)
                return form.secrets().map { Secret($0.value.operations) }
            }
            return ((start.maker, started, new), .absent)
        } catch {
            return (nil, .refused(error))
        }
    }

    /// Makes a session that a journal hands over, or has made.
    private func enter(
        _ opened: OpenedSession, _ id: SessionID, _ mount: Int, _ beginning: Beginning?,
        on loop: isolated EventLoop
    ) -> SessionOpening {
        let isKept = opened.document != nil
        if beginning == nil {
            guard !context.sessions.budget.isExceeded else { return .failed(.shortOfMemory) }
            guard quota.enter(nil) else { return .failed(.tooManySessions) }
        }
        guard let store = makeStore(id, opened, beginning?.started, mount) else {
            if beginning == nil { quota.leave(nil) }
            return .failed(.unreadable)
        }
        if isKept { quota.disown(beginning?.maker) }
        let session = Session(
            id: id, mount: mount, opened: opened, store: store,
            maker: isKept ? nil : beginning?.maker,
            keepsEntries: mounts[mount].keepsEntries, at: context.now(), loop.now,
            context.sessions)
        return .here(session, isNew: !isKept)
    }

    /// Takes a session in. Nothing of it is due before its caches are old, or it has to end.
    func insert(_ session: Session, at now: Instant) {
        tables[session.mount].insert(session)
        context.deadlines.expect(session, by: end(of: session))
        noteUse(of: session, at: now)
        unposted.add(session, at: now)
    }

    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ started: (any StateValue)?, _ mount: Int
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
    func begin(_ session: Session, isRestored: Bool, on loop: isolated EventLoop) {
        guard session.frozen == nil else { return }
        if isRestored { facts.sayRestored(session, on: loop) }
        session.actions?.startWork()
        afterEffects(of: session, on: loop)
    }

    // MARK: Ending

    /// Ends a session for good: its id is gone for a while.
    ///
    /// - Parameters:
    ///   - exchange: the client's who wants that.
    ///   - told: see `SessionEndings`.
    func end(
        _ session: Session, for exchange: Exchange?, on loop: isolated EventLoop,
        _ told: @escaping SessionEndings.Continuation
    ) throws(ProblemDetails) {
        try endings.checkRoom()
        ended[session.mount].insert(session.id.description, at: context.now(), limits)
        close(session, on: loop)
        // An application knows nothing of a replay that it could forget.
        if session.isReplay { return told(true) }
        try endings.begin(
            session.id, of: mounts[session.mount], session.appendRight, for: exchange, on: loop,
            told)
    }

    /// Lets go of a session, with its effects, streams and held answers; its id may come back at
    /// once.
    ///
    /// - Parameter isMoved: it has not ended: another server has it, and clients may come again.
    func close(_ session: Session, isMoved: Bool = false, on loop: isolated EventLoop) {
        guard !session.isEnded else { return }
        let problem: ProblemDetails = isMoved ? .sessionMoved : .sessionEnded
        // One that is being migrated is not entered yet: who opens it gives its place back.
        if find(session.id, mount: session.mount) === session {
            tables[session.mount].remove(session)
            quota.leave(session.maker)
            unposted.noteEnded()
        }
        context.deadlines.remove(session)
        session.end()
        replays.end(session, on: loop)
        facts.forget(session)
        context.feeds.end(of: session, with: isMoved ? SessionError(problem) : .ended)
        performer.endStreams(of: session, isMoved ? "busy" : "end", on: loop)
        performer.endWaiters(of: session, problem, on: loop)
        performer.perform(session, on: loop)
        performer.answerSettled(of: session, isOver: true, on: loop)
    }

    // MARK: What comes back

    /// Runs what effects and the journal have left.
    func takeMessages(on loop: isolated EventLoop) {
        for job in context.inbox.takeAll() { job(self, loop) }
    }

    /// Opens sessions in doubt again, lets those go that another server has, and answers those whose
    /// effects have all ended.
    func giveDueAnswers(on loop: isolated EventLoop) {
        if performer.hasDueAnswers { giveAnswers(on: loop) }
    }

    // Not inlined: the compiler would begin the accesses to the lists before it looks whether there is
    // something in them.
    @inline(never)
    private func giveAnswers(on loop: isolated EventLoop) {
        performer.hasDueAnswers = false
        while let session = performer.failed.popLast() {
            if session.isInDoubt {
                reopen(session, on: loop)
            } else {
                close(session, isMoved: true, on: loop)
            }
        }
        while let (mount, id, incarnation) = context.settled.popLast() {
            guard let session = session(mount, id, incarnation) else { continue }
            performer.answerSettled(of: session, on: loop)
        }
    }

    /// Submits what effects or the opening have caused: it takes the way of every action.
    func afterEffects(of session: Session, on loop: isolated EventLoop) {
        session.submitCausedActions()
        performer.perform(session, on: loop)
        guard session.settlingCount > 0, let store = session.actions else { return }
        context.settled.append((session.mountName, session.id, store.incarnation))
        performer.hasDueAnswers = true
    }

    /// The journal has answered for these batches: each session goes on once, with all of its own.
    func appended(_ outcomes: [TicketOutcome], on loop: isolated EventLoop) {
        for session in outcomes.compactMap({ context.sessions.appended($0) }) {
            performer.perform(session, on: loop)
            performer.answerSettled(of: session, on: loop)
        }
    }
}

extension SessionOpening {
    /// What the server's own code is told.
    fileprivate var result: Result<Session, SessionError> {
        switch self {
        case .here(let session, _): session.isEnded ? .failure(.ended) : .success(session)
        case .absent, .asleep: .failure(.notFound)
        case .refused(let refusal): .failure(SessionError(refusal))
        case .failed(let problem): .failure(SessionError(problem))
        }
    }
}
