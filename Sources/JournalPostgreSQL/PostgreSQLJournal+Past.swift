import JournalRows
public import Journaling
import PostgreSQL
import Redux
import Threads

/// What is read, and made, of a session's past.
extension PostgreSQLJournal {
    // MARK: Passages

    /// The entries of a session around a version: behind the newest state that is kept at it or before, up
    /// to the next one or the end. Throws where one of them is not what was written.
    ///
    /// - Parameter isWhole: false for those before the first that is not what was written.
    func read(
        _ session: StoredSession, around version: UInt64, isWhole: Bool = true, on lane: Lane
    ) async throws(JournalFailure) -> Passage {
        let place = [Parameter.integer(session.id), .version(version)]
        let tail = statements.tail(place + [.version(session.version)])
        let found = try await run([statements.base(place), tail], on: lane)
        guard let row = found[0].first else {
            let oldest = try await run(statements.oldest(place[0]), on: lane).first?.integer(0)
            throw .compacted(oldest: oldest.map { UInt64(bitPattern: $0) })
        }
        guard let base = StoredState(row, of: session.name) else {
            throw .damaged(good: try await good(session, before: row.version(0), on: lane))
        }
        var (passage, sum) = (Passage(base), base.chain)
        for row in found[1].lazy.map({ StoredEntry($0) }) {
            guard row.version == passage.last + 1, row.hasSum(after: sum) else { break }
            passage.rows.append(row)
            sum = row.sum
        }
        let (last, end) = (passage.last, session.version)
        let isSound =
            passage.rows.count == found[1].count && last >= min(version, end)
            && (last != end || sum == session.sum)
        guard isSound || !isWhole else { throw .damaged(good: passage.good) }
        return passage
    }

    /// The newest version before one at which a state is kept that is what was written.
    private func good(
        _ session: StoredSession, before version: UInt64, on lane: Lane
    ) async throws(JournalFailure) -> UInt64? {
        var version = version
        while version > 0 {
            let call = statements.base(.integer(session.id), .version(version - 1))
            guard let row = try await run(call, on: lane).first else { return nil }
            version = row.version(0)
            if StoredState(row, of: session.name) != nil { return version }
        }
        return nil
    }

    /// A passage that has a version, also where what follows is damaged.
    func read(
        _ session: StoredSession, through version: UInt64, on lane: Lane = .past
    ) async throws(JournalFailure) -> Passage {
        guard version <= session.version else { throw .compacted(oldest: nil) }
        let passage = try await read(session, around: version, isWhole: false, on: lane)
        guard version <= passage.last else { throw .damaged(good: passage.good) }
        return passage
    }

    private func find(_ name: SessionName) async throws(JournalFailure) -> StoredSession {
        let found = try await run(statements.find(.text(name.description)), on: .past)
        guard let row = found.first else { throw .compacted(oldest: nil) }
        return try StoredSession(row)
    }

    // MARK: History

    /// Consecutive entries behind a version.
    public func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        let session = try await find(name)
        var (found, last): ([EncodedEntry], UInt64) = ([], version)
        while last < session.version {
            let passage = try await read(session, around: last, isWhole: false, on: .past)
            guard try passage.add(to: &found, after: version, limit) else { break }
            last = found.last?.version ?? version
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
        _ name: SessionName, to version: UInt64, by given: EncodedEntry, epoch: String
    ) async throws(JournalFailure) {
        // It may go on meanwhile, or be somebody else's.
        for _ in 0..<8 {
            let session = try await find(name)
            let (key, end) = (try? session.key(by: master), session.summary)
            let former = try await read(session, through: version).former(at: version, by: key)
            let entry = former.entry(given, behind: end.version, at: end.lastTime)
            var row = StoredEntry(
                entry, of: session.id, schema: former.document.schema, by: key, sum: session.sum)
            // Who opens it next says what it waits for.
            var parameters: [Parameter] =
                session.lease.parameters + [
                    .integer(try life.id()), .text(epoch), .integer(session.history),
                    .integer(entry.at.milliseconds), .bytes(session.dataKey),
                ]
            parameters += row.parameters()
            let tail = try? await read(session, around: end.version, isWhole: false, on: .past)
            let state = former.state(
                of: entry, chain: row.sum, try? tail?.keys(by: hash), epoch: epoch, by: key)
            let call = statements.revert(parameters + state.parameters(of: name))
            if try await !run(call).isEmpty {
                return appender.inbox.withLock { $0.drop(session.id) }
            }
        }
        throw .heldElsewhere
    }

    /// Whether the database has lost what was acknowledged here or elsewhere: a standby was promoted that
    /// had not got it, or a backup was brought back.
    func isLost(_ session: StoredSession) async throws(JournalFailure) -> Bool {
        let present = session.presentHistory ?? session.history
        let former = appender.inbox.withLock { $0.former(session.id) }
        guard let former, former > session.version else {
            return session.history < present
        }
        if session.history == present {
            try await run(statements.raiseHistory(.integer(present)))
        }
        return true
    }

    /// Has a session's next entry begin another epoch, once it is kept which works its entries began in
    /// theirs: no token names two states.
    func begin(_ epoch: String, of lease: Lease) async throws(JournalFailure) {
        try await keep(appender.session(lease))
        try await change(statements.renewEpoch(lease.parameters + [.text(epoch)]))
        appender.inbox.withLock { $0.change(lease) { $0.summary.epoch = epoch } }
    }
}
