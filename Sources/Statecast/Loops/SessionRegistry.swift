import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// The sessions of one loop.
final class SessionRegistry {
    /// Carries a request on, on the loop of the session.
    typealias Continuation = (SessionOpening) -> Void
    typealias SessionLives = Lives<Continuation, ProblemDetails>

    /// The longest time that a request waits for a session.
    private static let waitDuration = Duration.seconds(2)
    /// What made a session unreadable is believed for so long: a key may be given meanwhile.
    private static let unreadableDuration = Duration.seconds(60)

    let context: ServingContext
    /// Nil where no other server is asked.
    let peers: Peers?
    let mounts: [any MountedApplication]
    let tables: [SessionTable]
    /// What happens to the sessions, and the requests that wait for that.
    var lives: SessionLives
    /// The sessions that are to be restored once one of those has been that are now.
    var line: [CheckedContinuation<Void, Never>] = []
    var restoringCount = 0
    /// The journal and the applications forget these.
    var endings: [SessionName: Task<Void, Never>] = [:]
    /// Looks what other servers have done; nil where that is over.
    var following: Task<Void, Never>?
    var isWaking = false
    /// The sessions of the last calls to wake up that were due still.
    var called: Set<SessionName> = []
    /// Tells applications what becomes of their sessions.
    let facts: SessionFacts
    let replays: Replays
    let routes: RoutesResource
    let quota: SessionQuota
    /// Of sessions that other servers have, and which of these cannot be followed, until when.
    var followers: [SessionName: FollowedSession] = [:]
    var refusedFollowers: [SessionName: Instant] = [:]
    /// Nil where no session stands in a file.
    private(set) var hotSessions: HotSessions?

    /// How often the journal had lost all sessions when those were let go of that are watched.
    var lossCount = 0
    /// The look through all that the journal has: the session that it has come to, when it began, and when it
    /// goes on.
    var sweeping: (last: SessionName?, begun: Instant, next: Instant)

    // What `SessionRegistry+Time` looks after.
    /// The pages, some of which are kept in memory.
    let files: StaticFiles
    /// The first of these go where room is short.
    var unposted = UnpostedSessions()
    /// The timer of the next second.
    var tick = Timer.none
    /// The number of stores at rest a second ago, and when unused memory is given back although more
    /// follow.
    var trimming = (lastCount: 0, next: Instant(nanoseconds: 0))
    /// So much before their time sessions may still be looked at in this second, where memory is short.
    var haste = Duration.zero
    /// Some have gone to sleep in this second, and the instant, after a pause, from which others are looked
    /// at again before their time.
    var hurry = (hasFreed: false, pause: Duration.milliseconds(500), next: Instant(nanoseconds: 0))
    /// They wait for a place in memory.
    var seekers: [CheckedContinuation<Void, Never>] = []
    /// A timer goes on with sessions that are to be looked at.
    var isLooking = false

    var limits: SessionLimits { context.sessions.limits }
    let performer: StepPerformer

    init(_ shared: ServerParts, on loop: isolated EventLoop) {
        context = ServingContext(shared, on: loop)
        let journal = context.sessions.journal
        peers = shared.cluster.withLock { $0 }.map { Peers($0.keys, at: $0.address, journal) }
        performer = context.performer
        (mounts, quota) = (shared.mounts, shared.quota)
        files = StaticFiles(
            shared.pages, compiled: .pages, limits: shared.configuration.limits)
        lives = Lives(memoryCount: shared.configuration.sessionLimits.endedCount)
        facts = SessionFacts(context: context)
        replays = Replays(context: context, quota: quota)
        routes = RoutesResource(context: context)
        tables = mounts.map { _ in SessionTable() }
        sweeping = (nil, loop.now, loop.now)
        if !context.sessions.keepsEntries { quota.countedAll() }
        tick = loop.schedule(after: .seconds(1), self)
        hotSessions = shared.hotReload.withLock { $0 }.map { HotSessions(self, $0) }
    }

    deinit {
        for task in endings.values { task.cancel() }
        following?.cancel()
    }

    // MARK: Finding

    func find(_ id: SessionID, mount: Int) -> Session? { tables[mount].find(id) }

    /// The session of a name, if its store is still the same one.
    func session(_ mount: String, _ id: SessionID, _ incarnation: UInt64) -> Session? {
        guard let index = mounts.firstIndex(where: { $0.name == mount }),
            let session = tables[index].find(id), session.actions?.incarnation == incarnation
        else { return nil }
        return session
    }

    func name(_ id: SessionID, mount: Int) -> SessionName {
        SessionName(mount: mounts[mount].name, id: id.description)
    }

    /// Nil where it is none of an application's that is served.
    func place(of name: SessionName) -> (id: SessionID, mount: Int)? {
        guard let mount = mounts.firstIndex(where: { $0.name == name.mount }),
            let id = SessionID(name.id)
        else { return nil }
        return (id, mount)
    }

    func name(of session: Session) -> SessionName { name(session.id, mount: session.mount) }

    /// Goes on with a session, for the server's own code: at once, or when the journal has answered.
    ///
    /// - Parameter start: the session that is made where there is none.
    func reach(
        _ id: SessionID, mount: Int, making start: SessionStart? = nil,
        on loop: isolated EventLoop,
        _ goOn: @escaping (Result<Session, SessionError>) -> Void
    ) {
        var known = find(id, mount: mount)
        if context.sessions.isShared, let session = known {
            do throws(ProblemDetails) {
                if try !shows(session, on: loop) { known = nil }
            } catch {
                return goOn(.failure(SessionError(error)))
            }
        }
        if let known {
            performer.noteUse(of: known, at: loop.now)
            if !known.lacksKeys, !mayBeElsewhere(known) { return goOn(.success(known)) }
        } else if start == nil, peers?.holder(of: name(id, mount: mount)) != nil {
            return goOn(.failure(SessionError(.sessionMoved)))
        }
        let take: Continuation = { [self] outcome in
            switch outcome {
            case .settled(let session) where !session.isEnded && mayBeElsewhere(session):
                goOn(.failure(SessionError(.busy)))
            // Another one has asked for the session, and that did not make it.
            case .absent where start != nil, .asleep, .settled:
                reach(id, mount: mount, making: start, on: loop, goOn)
            case .here(let session, _)
            where !session.isEnded && (session.lacksKeys || mayBeElsewhere(session)):
                reach(id, mount: mount, making: start, on: loop, goOn)
            case .here(let session, _) where session.isEnded:
                goOn(.failure(SessionError(whatEnded(session, at: loop.now))))
            // Another server may have it, and that takes no room here.
            case .failed(.tooManySessions) where start == nil && peers != nil,
                .failed(.shortOfMemory) where start == nil && peers != nil:
                goOn(.failure(SessionError(.sessionMoved)))
            default: goOn(outcome.result)
            }
        }
        let outcome =
            if let known {
                mayBeElsewhere(known)
                    ? reopen(known, on: loop) : fetchKeys(of: known, on: loop)
            } else {
                open(id, mount: mount, making: start, on: loop)
            }
        if let outcome { return take(outcome) }
        do throws(ProblemDetails) {
            try wait(for: name(id, mount: mount), on: loop, take)
        } catch {
            goOn(.failure(SessionError(error)))
        }
    }

    // MARK: Waiting

    /// Has a request of so many bytes wait for what happens to a session; throws where as many wait as
    /// may.
    func wait(
        for name: SessionName, _ byteCount: Int = 0, on loop: isolated EventLoop,
        _ request: @escaping Continuation
    ) throws(ProblemDetails) {
        let deadline = loop.now.advanced(by: Self.waitDuration)
        guard lives.wait(request, byteCount, for: name, until: deadline) else { throw .busy }
    }

    /// Has a stage of a session's life begin, and those go on at its end who ask for the session
    /// meanwhile.
    ///
    /// - Returns: what has come of it; nil where it takes its time, or another stage has to end first.
    func begin(
        _ stage: SessionLives.Stage, of name: SessionName, on loop: isolated EventLoop,
        _ body: @escaping () async throws(JournalFailure) -> SessionOpening
    ) -> SessionOpening? {
        guard lives.begin(stage, of: name) != nil else {
            return lives.stage(of: name) == nil ? .failed(.busy) : nil
        }
        var result: SessionOpening?
        Task.immediate {
            var outcome: SessionOpening
            do throws(JournalFailure) {
                outcome = try await body()
            } catch {
                // A lease of which nobody knows is none.
                outcome = .failed(
                    ProblemDetails(.notKept(error == .unknown ? .unavailable : error)))
            }
            result = outcome
            if case .failed(let problem) = outcome, problem.isUnreadable {
                let end = loop.now.advanced(by: Self.unreadableDuration)
                lives.note(.unreadable(problem), of: name, until: end)
            }
            let hasFirst = lives.hasFirst(name)
            self.goOn(with: lives.finish(stage, of: name) ?? [], outcome, hasFirst: hasFirst)
        }
        return result
    }

    /// Carries on those that have waited.
    ///
    /// - Parameter hasFirst: the first of them has begun it.
    func goOn(
        with requests: [Continuation], _ outcome: SessionOpening, hasFirst: Bool = true
    ) {
        for (index, request) in requests.enumerated() {
            switch outcome {
            case _ where index == 0 && hasFirst: request(outcome)
            case .here(let session, _): request(.here(session, isNew: false))
            // Another one's input may be taken.
            case .refused: request(.absent)
            default: request(outcome)
            }
        }
    }

    /// What is said to those who find that a session has gone meanwhile: clients believe for good that
    /// one has ended.
    func whatEnded(_ session: Session, at now: Instant) -> ProblemDetails {
        lives.hasEnded(name(of: session), at: now) ? .sessionEnded : .sessionMoved
    }

    /// Takes a session in. Nothing of it is due before its caches are old, or it has to end.
    func insert(_ session: Session, at now: Instant) {
        tables[session.mount].insert(session)
        performer.deadlines.expect(session, by: end(of: session))
        performer.noteUse(of: session, at: now)
        hotSessions?.noteEntry(of: session)
        if session.maker > 0, !context.sessions.keepsEntries { unposted.add(session, at: now) }
    }

    // MARK: Ending

    /// Lets go of a session, with its effects, streams and held answers; its id may come back at
    /// once.
    ///
    /// - Parameters:
    ///   - isKept: it has not ended: the journal or another server has it, and clients may come again.
    ///   - goesOn: another server goes on with it at once.
    func close(
        _ session: Session, isKept: Bool = false, goesOn: Bool = false, on loop: isolated EventLoop
    ) {
        guard !session.isEnded else { return }
        let name = name(of: session)
        let problem: ProblemDetails = isKept ? .sessionMoved : .sessionEnded
        // One that is being migrated is not entered yet: who opens it gives its place back.
        if find(session.id, mount: session.mount) === session {
            tables[session.mount].remove(session)
            quota.leave()
            if !isKept { quota.disown(session.maker, of: name, isKept: !session.isReplay) }
            unposted.noteEnded()
        }
        // Others may give it an alarm before it is opened again.
        if lives.stage(of: name) != .sleeping || !session.isUnused { lives.forget(name) }
        performer.deadlines.remove(session)
        performer.hurryStreams(of: session, on: loop)
        session.end(isKept ? .unknown : .ended)
        replays.end(session, on: loop)
        facts.forget(session)
        context.feeds.end(of: session, with: isKept ? SessionError(problem) : .ended)
        performer.endStreams(of: session, goesOn ? nil : isKept ? "busy" : "end", on: loop)
        performer.endWaiters(of: session, goesOn ? nil : problem, on: loop)
        performer.perform(session, on: loop)
        performer.answerSettled(of: session, isOver: true, on: loop)
        if !isKept { hotSessions?.noteEnd(of: name) }
    }

    /// Ends the streams and held requests of a principal.
    ///
    /// - Parameter name: of the session; nil: in all.
    func closeStreams(
        of principal: String, in name: SessionName?, on loop: isolated EventLoop
    ) {
        for session in tables.flatMap(\.watched) + followers.values.compactMap(\.session)
        where name == nil || name == self.name(of: session) {
            performer.closeClients(principal, of: session, on: loop)
        }
    }

    // MARK: What comes back

    /// Opens sessions in doubt again, lets those go that another server has, and answers those whose
    /// effects have all ended.
    // Not inlined: the compiler would begin the accesses to the lists before the router looks whether there
    // is something in them.
    @inline(never)
    func giveDueAnswers(on loop: isolated EventLoop) {
        performer.hasDueAnswers = false
        while let session = performer.failed.popLast() {
            if session.isInDoubt {
                reopen(session, on: loop)
            } else {
                close(session, isKept: true, on: loop)
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
