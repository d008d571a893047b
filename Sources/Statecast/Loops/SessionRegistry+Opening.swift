import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// Sessions that are not here come from the journal, or are made.
extension SessionRegistry {
    /// The most sessions of one server that are read and decoded at once.
    private static let restoringCount = 64
    /// The most states of before that are read where the last one is not.
    private static let readingCount = 8

    /// Opens a session that is not here: takes it over from the journal or, where the journal has
    /// none, makes it as is wished. The journal may take its time.
    ///
    /// A session that is there is opened whatever the wish says: its application is asked first, and
    /// what it has begun, or refused, counts where there is none.
    ///
    /// - Parameter start: the new session; nil for one who only asks for it.
    func open(
        _ id: SessionID, mount: Int, making start: SessionStart? = nil, on loop: isolated EventLoop
    ) -> SessionOpening? {
        // Another one who has waited, too, may have opened it.
        if let session = find(id, mount: mount) { return .here(session, isNew: false) }
        let name = name(id, mount: mount)
        switch lives.memory(of: name, at: loop.now) {
        case .ended: return .failed(.sessionEnded)
        case .unreadable(let problem): return .failed(problem)
        case .rested, nil: break
        }
        guard lives.stage(of: name) == nil else { return nil }
        guard start == nil || !context.sessions.budget.isExceeded else {
            return .failed(.shortOfMemory)
        }
        return begin(.restoring, of: name, on: loop) {
            [self] () async throws(JournalFailure) -> SessionOpening in
            await standInLine()
            defer { leaveLine() }
            let (beginning, absent) = begin(start, id, mount)
            var result = absent
            defer {
                if case .here(_, isNew: true) = result {
                } else if let beginning {
                    quota.disown(beginning.new.maker, of: name)
                }
            }
            let (journal, isKept) = (context.sessions.journal, context.sessions.keepsEntries)
            // What is read has a lease, which takes memory: there is room for it before.
            let needsPlace = beginning != nil || isKept
            if needsPlace {
                guard !context.sessions.budget.isExceeded else { return .failed(.shortOfMemory) }
                guard await takePlace(on: loop) else { return .failed(.tooManySessions) }
            }
            defer { if case .here = result {} else if needsPlace { quota.leave() } }
            guard let opened = try await journal.open(name, making: beginning?.new) else {
                return result
            }
            if await passOn(opened, name, mount) { return .failed(.sessionMoved) }
            result = await enter(opened, id, mount, beginning, on: loop)
            if case .here(let session, _) = result, session.needsMigration,
                let refusal = await migrate(session, on: loop)
            {
                result = .failed(ProblemDetails(refusal))
                close(session, isKept: true, on: loop)
            }
            guard case .here(let session, let isNew) = result else {
                await giveBack(opened.lease, opened.work)
                return result
            }
            insert(session, at: loop.now)
            begin(session, isRestored: !isNew, on: loop)
            return result
        }
    }

    /// Waits until few enough sessions are restored.
    private func standInLine() async {
        guard restoringCount * context.shared.configuration.loopCount >= Self.restoringCount else {
            restoringCount += 1
            return
        }
        await withCheckedContinuation { line.append($0) }
    }

    /// Has the next one restored, in its place.
    private func leaveLine() {
        if line.isEmpty { restoringCount -= 1 } else { line.removeFirst().resume() }
    }

    /// The beginning that an application has made of a session, which counts for its maker.
    private typealias Beginning = (started: any StateValue, new: NewSession)

    /// Has an application begin the session that is wished for, and counts it for its maker.
    ///
    /// - Returns: also the outcome where the journal has no session.
    private func begin(
        _ start: SessionStart?, _ id: SessionID, _ mount: Int
    ) -> (Beginning?, absent: SessionOpening) {
        guard let start else { return (nil, .absent) }
        let epoch = Step.randomEpoch()
        do throws(Refusal) {
            context.reducing?.begin(startOf: name(id, mount: mount), at: context.now())
            defer { context.reducing?.end() }
            let (started, alarm) = try mounts[mount].start(id, start, epoch: epoch)
            guard quota.own(start.maker, of: name(id, mount: mount)) else {
                return (nil, .failed(.tooManySessions))
            }
            let new = NewSession(
                epoch: epoch, created: context.now(), schema: mounts[mount].schemaVersion,
                alarm: alarm, maker: start.maker, sessionCount: context.sessions.limits.keptCount
            ) { () throws(EncodingFailure) in
                try StateEncoder().bytes(of: started)
            } secrets: { () throws(EncodingFailure) in
                let form = try StateEncoder().form(of: started, after: nil, keepingSecrets: true)
                return form.secrets().map { Secret($0.value.operations) }
            }
            return ((started, new), .absent)
        } catch {
            return (nil, .refused(error))
        }
    }

    /// Gives a session that is of a newer schema than this server reads to one that reads it; false for any
    /// other, and where nobody does.
    private func passOn(
        _ opened: OpenedSession, _ name: SessionName, _ mount: Int
    ) async -> Bool {
        let (journal, schema) = (context.sessions.journal, opened.document?.schema ?? 0)
        guard schema > mounts[mount].schemaVersion,
            let reader = context.shared.successors.choice(for: name, of: schema, by: journal.hash)
        else { return false }
        peers?.note(SocketAddress(parsing: reader.address), of: name)
        // Where that fails, whoever asks for it next opens it again.
        try? await journal.release([Release(opened.lease, opened.work, to: reader.address)])
        return true
    }

    /// Makes a session that a journal hands over, or has made.
    private func enter(
        _ opened: OpenedSession, _ id: SessionID, _ mount: Int, _ beginning: Beginning?,
        on loop: isolated EventLoop
    ) async -> SessionOpening {
        if opened.isUnsafe { return .failed(.unsafeToOpen) }
        let isKept = opened.document != nil
        let version = opened.document?.version ?? 0
        if isKept { note(opening: opened.lease, at: version) }
        let made = await makeStore(opened, id, mount, beginning?.started)
        let good =
            made == nil && !opened.hasTrapped
            ? await lastRead(before: version, of: name(id, mount: mount), mount: mount) : nil
        if isKept { note(opening: opened.lease, at: version, isDone: true) }
        guard let made else { return .failed(ProblemDetails(.damaged(good: good))) }
        let session = Session(
            id: id, mount: mount, opened: opened, store: made.store,
            maker: isKept ? opened.maker : beginning?.new.maker ?? 0,
            keepsEntries: mounts[mount].keepsEntries, isFaithful: made.isFaithful,
            at: loop.now, context.sessions)
        return .here(session, isNew: !isKept)
    }

    /// The journal is told where the application's code may end the process.
    private func note(opening lease: Lease, at version: UInt64, isDone: Bool = false) {
        context.sessions.journal.reduces(lease, to: version, isDone: isDone, on: nil)
    }

    /// The store of a session; nil where what a journal has kept of it is none of this application's.
    /// That is decoded away from the loop: others are served meanwhile.
    func makeStore(
        _ opened: OpenedSession, _ id: SessionID, _ mount: Int, _ started: (any StateValue)? = nil
    ) async -> (store: any TakesActions, isFaithful: Bool)? {
        do throws(DecodingFailure) {
            var restored: RestoredState?
            if let document = opened.document {
                restored = try await mounts[mount].restore(document)
            }
            guard let state = restored?.state ?? started else { return nil }
            return (
                try mounts[mount].makeStore(id, opened, state, context),
                restored?.isFaithful ?? true
            )
        } catch {
            context.logger.error(
                "A session cannot be read: \(StateDiff.escaped(error.detail))",
                metadata: ["session": "\(mounts[mount].name)/\(id)"])
            return nil
        }
    }

    /// A late version that this build of the application reads, before one that it does not, as far as few
    /// readings find it: each runs its code on what another build has left, and all sessions wait for one
    /// reader. Nil where the oldest that is kept is not read.
    private func lastRead(before version: UInt64, of name: SessionName, mount: Int) async -> UInt64?
    {
        var last: UInt64?
        do throws(JournalFailure) {
            last = try await read(0, of: name, mount)
            var (good, bad, readingCount) = (last ?? version, version, 1)
            while bad > good + 1, readingCount < Self.readingCount {
                let middle = good + (bad - good) / 2
                let found = try await read(middle, of: name, mount)
                if let found { (good, last) = (middle, found) } else { bad = middle }
                readingCount += 1
            }
        } catch {
            // What was found counts.
        }
        return last
    }

    /// The version of the state that was visible at a version, or is the oldest behind it; nil where the
    /// application does not read it, or it is one without its secrets, of which nothing can be told.
    private func read(
        _ version: UInt64, of name: SessionName, _ mount: Int
    ) async throws(JournalFailure) -> UInt64? {
        let journal = context.sessions.journal
        let document: StoredDocument
        do throws(JournalFailure) {
            document = try await journal.document(of: name, at: version)
        } catch {
            guard case .compacted(let oldest?) = error, version == 0 else { throw error }
            document = try await journal.document(of: name, at: oldest)
        }
        guard !document.isRedacted else { return nil }
        return await mounts[mount].reads(document) ? document.version : nil
    }

    /// Starts what a session's state asks for.
    ///
    /// - Parameter isRestored: its state comes from the journal.
    func begin(_ session: Session, isRestored: Bool, on loop: isolated EventLoop) {
        guard session.frozen == nil else { return }
        if isRestored { facts.sayRestored(session, on: loop) }
        let version = session.version
        if isRestored { note(opening: session.appendRight, at: version) }
        session.actions?.startWork()
        if isRestored { note(opening: session.appendRight, at: version, isDone: true) }
        afterEffects(of: session, on: loop)
    }
}
