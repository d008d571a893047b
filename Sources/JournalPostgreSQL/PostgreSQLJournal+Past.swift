public import Journaling
import PostgreSQL
import Redux

/// What is read, and made, of a session's past.
extension PostgreSQLJournal {
    // MARK: Passages

    /// The entries of a session around a version: behind the newest state that is kept at it or before, up
    /// to the next one or the end.
    func read(
        _ session: StoredSession, around version: UInt64, on lane: Lane
    ) async throws(JournalFailure) -> Passage {
        let (id, place) = (Parameter.integer(session.id), Parameter.version(version))
        let found = try await run(
            [
                statements.base(id, place),
                statements.tail(id, place, .version(session.end.version)),
            ], on: lane)
        guard let row = found[0].first else {
            let oldest = try await run([statements.oldest(id)], on: lane)[0].first?.integer(0)
            throw .compacted(oldest: oldest.map { UInt64(bitPattern: $0) })
        }
        guard let base = StoredState(row, of: session.name) else {
            throw .damaged(good: try await good(session, before: row.version(0), on: lane))
        }
        return Passage(session, base, found[1], through: min(version, session.end.version))
    }

    /// The newest version before one at which a state is kept that is what was written.
    private func good(
        _ session: StoredSession, before version: UInt64, on lane: Lane
    ) async throws(JournalFailure) -> UInt64? {
        var version = version
        while version > 0 {
            let found = try await run(
                [statements.base(.integer(session.id), .version(version - 1))], on: lane)
            guard let row = found[0].first else { return nil }
            version = row.version(0)
            if StoredState(row, of: session.name) != nil { return version }
        }
        return nil
    }

    /// A passage that has a version, also where what follows is damaged.
    private func read(
        _ session: StoredSession, through version: UInt64
    ) async throws(JournalFailure) -> Passage {
        guard version <= session.end.version else { throw .compacted(oldest: nil) }
        let passage = try await read(session, around: version, on: .past)
        guard version <= passage.last else { throw .damaged(good: passage.good) }
        return passage
    }

    private func find(_ name: SessionName) async throws(JournalFailure) -> StoredSession {
        let found = try await run([statements.find(.text(name.description))], on: .past)
        guard let row = found[0].first else { throw .compacted(oldest: nil) }
        guard let session = StoredSession(row) else { throw .damaged(good: nil) }
        return session
    }

    // MARK: History

    /// Consecutive entries behind a version.
    public func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        let session = try await find(name)
        var (found, last, byteCount): ([EncodedEntry], UInt64, Int) = ([], version, 0)
        while last < session.end.version {
            let passage = try await read(session, around: last, on: .past)
            guard passage.good > last else {
                if found.isEmpty { throw .damaged(good: passage.good) }
                return found
            }
            for row in passage.rows
            where row.entry.version == last + 1 && row.entry.version <= passage.good {
                byteCount += row.entry.byteCount
                guard found.count < limit.entryCount,
                    byteCount <= limit.byteCount || found.isEmpty
                else { return found }
                found.append(row.entry.withoutSecrets)
                last = row.entry.version
            }
        }
        return found
    }

    /// The state that was visible at a version or last before it.
    public func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        let session = try await find(name)
        var found = try await read(session, through: version).document(at: version)
        found.lease = Lease(session: session.id, number: 0)
        found.isUnsafe = session.traps[found.version] == true
        return found
    }

    // MARK: Other ways to go on

    /// Has a session go on from the state at a version, as far as that can be read.
    public func revert(
        _ name: SessionName, to version: UInt64, by entry: EncodedEntry, epoch: String
    ) async throws(JournalFailure) {
        for _ in 0..<8 {
            let session = try await find(name)
            let passage = try await read(session, through: version)
            if try await revert(session, to: passage, at: version, by: entry, epoch) { return }
        }
        throw .heldElsewhere
    }

    /// - Returns: false where it has gone on meanwhile, or somebody else has it.
    private func revert(
        _ session: StoredSession, to passage: Passage, at version: UInt64,
        by given: EncodedEntry, _ epoch: String
    ) async throws(JournalFailure) -> Bool {
        var (document, end) = (try passage.document(at: version), session.end)
        let key = try passage.key(by: master)
        let whole =
            if let key { try passage.document(at: version, with: key).json } else {
                nil as [UInt8]?
            }
        var entry = given
        entry.version = end.version + 1
        entry.at = max(entry.at, Timestamp(milliseconds: end.at))
        entry.patch = EncodedEntry.replacement(by: document.json)
        entry.secrets = whole.map { Secret(EncodedEntry.replacement(by: $0)) }
        end.schema = document.schema
        let row = StoredEntry(entry, of: session.id, end, key)
        (document.version, document.lastChange) = (entry.version, entry.version)
        document.lastTime = entry.at
        var state = StoredState(document, chain: row.sum)
        // Works of the state begin with the entry.
        state.work = try Self.work(since: entry.version, epoch)
        let tail = try? await read(session, around: session.end.version, on: .past)
        state.keys = KeyList((try? tail?.keys(by: hash)) ?? [])
        if let whole, let key { state.seal(whole, by: key) }
        // Who opens it next says what it waits for.
        let parameters: [Parameter] = [
            .integer(session.id), .integer(session.lease), .integer(try life.id()), .text(epoch),
            .integer(session.history), .integer(entry.at.milliseconds), .bytes(session.dataKey),
        ]
        let found = try await run(
            [
                statements.revert(
                    parameters + row.parameters + state.parameters(of: session.name))
            ], on: .opening)
        if !found[0].isEmpty { appender.drop(session.id) }
        return !found[0].isEmpty
    }

    private static func work(
        since version: UInt64, _ epoch: String
    ) throws(JournalFailure) -> KeptWork {
        do {
            return KeptWork(
                try KeptWork.records(of: nil, since: version, epoch: epoch), at: version)
        } catch {
            throw .damaged(good: nil)
        }
    }

    /// Whether the database has lost what was acknowledged here or elsewhere: a standby was promoted that
    /// had not got it, or a backup was brought back.
    func isLost(_ session: StoredSession) async throws(JournalFailure) -> Bool {
        let present = session.presentHistory ?? session.history
        guard let former = appender.former(session.id), former > session.end.version else {
            return session.history < present
        }
        if session.history == present {
            _ = try await run([statements.raiseHistory(.integer(present))], on: .opening)
        }
        return true
    }

    /// Has a session's next entry begin another epoch, once it is kept which works its entries began in
    /// theirs: no token names two states.
    func begin(_ epoch: String, of lease: Lease) async throws(JournalFailure) {
        try await keep(appender.head(lease))
        try await change(
            statements.renewEpoch(
                .integer(lease.session), .integer(lease.number), .text(epoch)))
        appender.change(lease) { $0.session.epoch = epoch }
    }
}
