import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets

/// What a journal does with sessions beside opening them: it puts them to sleep and wakes them, tells
/// more of them than their state, and settles what became of entries whose fate it could not say.
extension SessionRegistry {
    /// The most sessions that are woken at once.
    private static let wakingCount = 256
    /// The most sessions that are due which one look at the journal finds.
    private static let dueCount = 1 << 16
    /// The server that is to open a session has so long after its alarm.
    private static let graceMilliseconds: Int64 = 5_000

    /// Requests wait for the journal to put a session to sleep or to tell more of it.
    func isOpening(_ session: Session) -> Bool { lives.stage(of: name(of: session)) != nil }

    /// Lets go of a session that another server may have by now.
    ///
    /// - Returns: it may be shown to whoever asks now. Throws where that is not known for a moment.
    func shows(_ session: Session, on loop: isolated EventLoop) throws(ProblemDetails) -> Bool {
        guard !letGo(of: session, on: loop) else { return false }
        guard session.isReplay || context.sessions.journal.shows(nil, anew: true) else {
            throw ProblemDetails(.unavailable)
        }
        return true
    }

    /// Another server may have it by now, as long as the journal cannot say what it has kept.
    func mayBeElsewhere(_ session: Session) -> Bool {
        context.sessions.isShared && session.isInDoubt
    }

    /// - Returns: false where nobody else can have it, as where sessions are not shared.
    func letGo(of session: Session, on loop: isolated EventLoop) -> Bool {
        guard !isOurs(session, anew: false) else { return false }
        close(session, isKept: true, on: loop)
        return true
    }

    /// Nobody else can have gone on with a session in memory.
    ///
    /// - Parameter anew: for whoever asks now.
    func isOurs(_ session: Session, anew: Bool) -> Bool {
        guard context.sessions.isShared, !session.isReplay else { return true }
        // One in doubt may have another lease already.
        let lease = session.isInDoubt ? nil : session.appendRight
        return context.sessions.journal.shows(lease, anew: anew)
    }

    /// Has the journal tell more of a session that is awake.
    ///
    /// - Parameter settles: it is asked what it has kept.
    private func ask(
        about session: Session, settles: Bool = false, on loop: isolated EventLoop,
        _ call: @escaping (any Journal) async throws(JournalFailure) -> Void
    ) -> SessionOpening? {
        let journal = context.sessions.journal
        return begin(.asking, of: name(of: session), on: loop) {
            () async throws(JournalFailure) -> SessionOpening in
            try await call(journal)
            return settles ? .settled(session) : .here(session, isNew: false)
        }
    }

    /// Has the journal keep a session's state as it is written today; answers why it did not.
    func migrate(_ session: Session, on loop: isolated EventLoop) async -> Refusal? {
        let now = context.now()
        return await withCheckedContinuation { continuation in
            performer.submit(nil, key: nil, to: session, at: now, on: loop) {
                (store, append, _) throws(Refusal) in
                try store.migrate(at: now, append)
            } answered: { result in
                var refusal: Refusal?
                if case .failure(let failure) = result { refusal = failure }
                continuation.resume(returning: refusal)
            }
        }
    }

    /// Has the journal tell the keys that count beside those of the last entries.
    func fetchKeys(of session: Session, on loop: isolated EventLoop) -> SessionOpening? {
        let (seconds, _) = limits.idempotencyDuration.components
        let now = context.sessions.readAge().milliseconds
        let since = Timestamp(milliseconds: now - seconds * 1_000)
        return ask(about: session, on: loop) { journal throws(JournalFailure) in
            await session.takeKeys(try await journal.keys(of: session.appendRight, since: since))
        }
    }

    /// Has the journal tell the patches behind a version; those that are gone, or more than are kept in
    /// memory, are given up.
    func fetchPatches(
        of session: Session, behind version: UInt64, on loop: isolated EventLoop
    ) -> SessionOpening? {
        let (name, last) = (name(of: session), session.version)
        // As many as their bytes let in.
        let limit = ReadLimit(entryCount: .max, byteCount: 2 * limits.patchByteCount)
        return ask(about: session, on: loop) { journal throws(JournalFailure) in
            // Where they cannot be read, the client is sent the state.
            let entries = try? await journal.entries(of: name, after: version, limit: limit)
            session.takePatches(
                of: entries?.filter { $0.version <= last }, behind: version)
        }
    }

    /// The server stops: lets the sessions sleep whose work goes on when they are opened again, and says
    /// when the journal knows, or takes too long.
    func layAllToRest(on loop: isolated EventLoop, _ told: @escaping @Sendable () -> Void) {
        var left = 1
        let end = {
            left -= 1
            if left == 0 { told() }
        }
        for session in tables.flatMap(\.all) where hasOpenWork(session) {
            left += 1
            guard layToRest(session, on: loop) == nil else {
                end()
                continue
            }
            do throws(ProblemDetails) {
                try wait(for: name(of: session), on: loop) { _ in end() }
            } catch {
                end()
            }
        }
        end()
    }

    private func hasOpenWork(_ session: Session) -> Bool {
        guard context.sessions.keepsEntries, !session.isInDoubt, !isOpening(session),
            let store = session.actions
        else { return false }
        return store.headVersion == store.version && store.keptWork != nil
    }

    /// Lets a session sleep that nobody uses: its next use opens it again.
    @discardableResult
    func layToRest(_ session: Session, on loop: isolated EventLoop) -> SessionOpening? {
        let (lease, work) = (session.appendRight, session.actions?.keptWork)
        let outcome = begin(.sleeping, of: name(of: session), on: loop) {
            [self] () async throws(JournalFailure) -> SessionOpening in
            await giveBack(lease, work)
            return .asleep
        }
        close(session, isKept: true, on: loop)
        return outcome
    }

    /// The journal need not remember a session that goes, or is not here after all.
    func giveBack(_ lease: Lease, _ work: KeptWork?) async {
        // Where that fails, somebody else has it, or it takes longer to wake up.
        try? await context.sessions.journal.keep(work, of: lease, isAsleep: true)
    }

    /// Wakes the sessions whose alarms are due, on their loops. An application's other work is an alarm
    /// that is due at once, so that it goes on after a restart.
    func wakeDue(on loop: isolated EventLoop) {
        guard context.sessions.keepsEntries, loop.index == 0, !isWaking else { return }
        isWaking = true
        let (journal, now) = (context.sessions.journal, context.now())
        Task.immediate {
            defer { self.isWaking = false }
            // As many as are called here, of each of the servers.
            let count = Self.wakingCount * (1 + self.context.shared.successors.count)
            let limit = min(self.called.count + count, Self.dueCount)
            // Where they cannot be read, the next second asks again.
            guard let due = try? await journal.alarms(until: now, limit: limit).due else { return }
            let own = await self.own(among: due, at: now)
            for name in self.nextCalled(among: own) {
                context.shared.directory.post(name) { $0.wake(name, on: $1) }
            }
        }
    }

    /// Those that all servers would have this one open, or that another one has left for a while.
    private func own(among due: [SessionName], at now: Timestamp) async -> [SessionName] {
        guard !due.isEmpty, !context.shared.successors.isEmpty else { return due }
        let end = Timestamp(milliseconds: now.milliseconds - Self.graceMilliseconds)
        // Where these cannot be read, the next second asks again.
        let late = try? await context.sessions.journal.alarms(until: end, limit: due.count).due
        let isLeft = Set(context.shared.isDraining ? [] : late ?? [])
        return due.filter { isLeft.contains($0) || chosen(for: $0) == nil }
    }

    /// Those that are called now: some stay due, as they are awake or cannot be opened, and so the others
    /// come first, and all in turn.
    private func nextCalled(among due: [SessionName]) -> [SessionName] {
        let next = Array(due.filter { !called.contains($0) }.prefix(Self.wakingCount))
        let room = Self.wakingCount - next.count
        guard room > 0 else {
            called = called.intersection(due).union(next)
            return next
        }
        let all = next + due.filter(called.contains).prefix(room)
        called = Set(all)
        return all
    }

    /// Opens a session whose alarm is due: that goes off by itself, as that of one does that is awake.
    func wake(_ name: SessionName, on loop: isolated EventLoop) {
        guard let (id, mount) = place(of: name), find(id, mount: mount) == nil,
            lives.memory(of: name, at: loop.now) == nil
        else { return }
        reach(id, mount: mount, on: loop) { [self] result in
            // It may be called again for work that has ended although its state still wants it.
            guard case .success(let session) = result, session.isUnused else { return }
            lives.note(.rested, of: name, until: .never)
        }
    }

    // MARK: Opening again

    /// Opens a session again whose journal could not say what it has kept; a second later once more,
    /// where that would not open it.
    @discardableResult
    func reopen(_ session: Session, on loop: isolated EventLoop) -> SessionOpening? {
        let name = name(of: session)
        performer.deadlines.expect(session, by: loop.now.advanced(by: .seconds(1)))
        return ask(about: session, settles: true, on: loop) {
            [self] journal throws(JournalFailure) in
            do throws(JournalFailure) {
                let opened = try await journal.open(name, making: nil)
                if !session.isEnded { await reopened(session, opened, on: loop) }
            } catch {
                if error == .ended { close(session, on: loop) }
                if error == .heldElsewhere { close(session, isKept: true, on: loop) }
            }
        }
    }

    private func reopened(
        _ session: Session, _ opened: OpenedSession?, on loop: isolated EventLoop
    ) async {
        guard let opened, opened.document != nil else { return close(session, on: loop) }
        if session.holds(opened) {
            session.reopen(opened, nil)
            return afterEffects(of: session, on: loop)
        }
        let made = await makeStore(opened, session.id, session.mount)
        guard !session.isEnded else { return }
        guard let made else { return close(session, isKept: true, on: loop) }
        session.reopen(opened, made.store, isFaithful: made.isFaithful)
        goOn(with: session, on: loop)
    }

    /// A session goes on from another state than clients were shown.
    func goOn(with session: Session, on loop: isolated EventLoop) {
        performer.beginAnew(session)
        performer.answerSettled(of: session, isOver: true, on: loop)
        performer.endWaiters(of: session, .busy, on: loop)
        context.feeds.goOn(with: session)
        hotSessions?.noteEntry(of: session)
        begin(session, isRestored: true, on: loop)
    }
}

/// What has come of asking for a session that was not here, or of which the journal was to tell more.
enum SessionOpening {
    /// It is here; `isNew` where this opening has made it.
    case here(Session, isNew: Bool)
    /// It is here, and the journal was asked what it has kept: where it could not say, what it last told
    /// counts.
    case settled(Session)
    /// There is none.
    case absent
    /// It has gone to sleep, and may be opened.
    case asleep
    /// There is none, and the one that was wished for does not begin.
    case refused(Refusal)
    /// It cannot be opened now.
    case failed(ProblemDetails)
}

extension SessionOpening {
    /// What the server's own code is told.
    var result: Result<Session, SessionError> {
        switch self {
        case .here(let session, _), .settled(let session): .success(session)
        case .absent, .asleep: .failure(.notFound)
        case .refused(let refusal): .failure(SessionError(refusal))
        case .failed(let problem): .failure(SessionError(problem))
        }
    }
}
