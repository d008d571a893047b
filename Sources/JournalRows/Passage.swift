package import Journaling
package import Redux
package import Sodium
import StateCoding

/// A state, and the entries behind it up to the next one that is kept, or the end; as far as they are
/// what was written.
package struct Passage: Sendable {
    package let base: StoredState
    package var rows: [StoredEntry]

    package init(_ base: StoredState, _ rows: [StoredEntry] = []) {
        (self.base, self.rows) = (base, rows)
    }

    /// The version of its last entry, or of its base.
    package var last: UInt64 { rows.last?.version ?? base.document.version }
    /// The last version at which the state was visible.
    package var good: UInt64 { rows.last { $0.isLast }?.version ?? base.document.version }

    /// The last entry at a version or before at which the state was visible; nil for the base.
    private func visible(at version: UInt64) -> StoredEntry? {
        rows.last { $0.isLast && $0.version <= version }
    }

    /// The last version of the batch that a version is of; a state is kept at one's end.
    package func end(ofBatchAt version: UInt64) -> UInt64 {
        guard version > base.document.version else { return version }
        return rows.first { $0.isLast && $0.version >= version }?.version ?? version
    }

    // MARK: States

    /// The state that was visible at a version or last before it, with its secrets where a key opens
    /// them.
    package func document(
        at version: UInt64 = .max, with key: SealingKey? = nil
    ) throws(JournalFailure) -> StoredDocument {
        var found = base.document
        if let key { found.json = try base.whole(by: key) }
        guard let last = visible(at: version) else { return found }
        var entries: [EncodedEntry] = []
        for row in rows where row.version <= last.version {
            var entry = row.entry
            entry.secrets =
                if let key { try row.secrets(by: key) } else { row.sealed.map { Secret($0) } }
            entries.append(entry)
        }
        try found.apply(entries, withSecrets: key != nil)
        found.schema = last.schema
        return found
    }

    /// A key is needed to read all of it.
    package var hasSecrets: Bool { base.sealed != nil || rows.contains { $0.sealed != nil } }

    /// The session's key, where it has secrets.
    private func needed(_ key: SealingKey?) throws(JournalFailure) -> SealingKey? {
        guard hasSecrets else { return nil }
        guard let key else { throw .missingKey }
        return key
    }

    /// The state at a version, and the same with its secrets where it has some.
    package func former(
        at version: UInt64, by key: SealingKey?
    ) throws(JournalFailure) -> FormerState {
        let document = try document(at: version)
        guard let key = try needed(key) else { return FormerState(document: document, whole: nil) }
        return FormerState(
            document: document, whole: try self.document(at: version, with: key).json)
    }

    /// Its base, or the state that was visible later, at a version or last before it.
    ///
    /// - Parameters:
    ///   - state: a visible one without secrets, if one is known.
    ///   - epoch: of its entries; not looked at where none of them tells of work.
    ///   - key: the session's; not looked at where it has no secrets.
    package func state(
        at version: UInt64 = .max, having state: StoredDocument? = nil, epoch: String,
        hash: KeyedHash, by key: SealingKey?
    ) throws(JournalFailure) -> StoredState {
        let version = state?.version ?? version
        guard let last = visible(at: version) else { return base }
        let document = if let state { state } else { try document(at: version) }
        var found = StoredState(document, chain: last.sum)
        (found.session, found.seq) = (base.session, last.seq)
        found.work = try work(through: version, epoch)
        found.keys = KeyList(try keys(through: version, by: hash))
        if let key = try needed(key) {
            found.seal(try self.document(at: version, with: key).json, by: key)
        }
        return found
    }

    /// The session as it goes on behind its entries.
    ///
    /// - Parameter traps: the versions at which it has ended a process, and whether it did so twice.
    package func opened(
        _ lease: Lease, as session: SessionSummary, traps: [UInt64: Bool], hash: KeyedHash,
        by key: SealingKey?
    ) throws(JournalFailure) -> OpenedSession {
        var opened = OpenedSession(
            lease: lease, epoch: session.epoch, created: session.created,
            document: try document(with: needed(key)), keys: try keys(by: hash),
            keysBegin: base.document.version, work: try work(session.epoch))
        opened.maker = session.maker
        opened.hasTrapped = traps[session.version] != nil
        opened.isUnsafe = traps[session.version] == true
        opened.isFrozen = traps[session.version + 1] == true
        return opened
    }

    /// Looks whether it begins with what the one before it ends with, and goes on to its own end.
    package func follow(
        _ end: inout (document: StoredDocument, chain: UInt32)?
    ) throws(JournalFailure) {
        if let end, end != (base.document, base.chain) {
            let version = base.document.version
            throw .damaged(good: version == 0 ? nil : version - 1)
        }
        end = (try document(), rows.last?.sum ?? base.chain)
    }

    // MARK: Entries

    /// Its entries say something of work.
    package var tellsOfWork: Bool { rows.contains { $0.entry.tellsOfWork } }

    /// What work needs behind its entries.
    private func work(
        through version: UInt64 = .max, _ epoch: String
    ) throws(JournalFailure) -> KeptWork? {
        // By their places, so that few rows are copied.
        let told = rows.indices.filter {
            rows[$0].entry.tellsOfWork && rows[$0].version <= version
        }
        return try KeptWork.after(told.map { rows[$0].entry }, base.work, epoch: epoch)
    }

    /// The keys of its entries, the oldest first.
    package func keys(
        through version: UInt64 = .max, by hash: KeyedHash
    ) throws(JournalFailure) -> [KeptKey] {
        var (keys, good): ([KeptKey], UInt64) = ([], base.document.version)
        for index in rows.indices where rows[index].isLast && rows[index].version <= version {
            do throws(DecodingFailure) {
                if rows[index].entry.print != nil,
                    var key = try KeptKey(in: rows[index].entry, first: good + 1, by: hash)
                {
                    // Its secrets are sealed, and not in the entry.
                    key.changed = rows[index].isChange
                    keys.append(key)
                }
            } catch {
                throw .damaged(good: good)
            }
            good = rows[index].version
        }
        return keys
    }

    /// Adds its entries to those that were found behind a version.
    ///
    /// - Returns: false where the limit is reached, or what follows is damaged.
    package func add(
        to found: inout [EncodedEntry], after version: UInt64, _ limit: ReadLimit
    ) throws(JournalFailure) -> Bool {
        var last = found.last?.version ?? version
        guard good > last else {
            if found.isEmpty { throw .damaged(good: good) }
            return false
        }
        var byteCount = found.reduce(0) { $0 + $1.byteCount }
        for row in rows where row.version == last + 1 && row.version <= good {
            byteCount += row.entry.byteCount
            guard found.count < limit.entryCount, byteCount <= limit.byteCount || found.isEmpty
            else { return false }
            found.append(row.entry.withoutSecrets)
            last = row.version
        }
        return true
    }
}

/// The entries behind a session's newest kept state, which lead back to it.
package struct Tail: Sendable, Hashable {
    package var count = 0
    /// Of the entries, and of the state.
    package var (byteCount, stateByteCount) = (0, 0)

    package init() {}

    /// Behind a state, up to a version.
    package init(_ state: StoredState, to version: UInt64) {
        // Below 0 where the state has what is still to be told as kept.
        count = Int(truncatingIfNeeded: version &- state.document.version)
        stateByteCount = state.document.json.count
    }

    /// It is to be no longer: 64 entries, and for large states a quarter of the state, at most 1,000 entries.
    package var wantsState: Bool {
        count >= 64 && (4 * byteCount >= stateByteCount || count >= 1_000)
    }
}

/// Sessions that want a state to be kept, with one of it that is known.
package typealias WantedStates = [Int64: StoredDocument?]

extension WantedStates {
    /// So long a tail is worth it where the state is known; longer ones where it is not.
    private static let tailCount = 16

    /// Entries are appended; the state behind them may be known.
    package mutating func want(_ state: StoredDocument?, of session: Int64, behind tail: Tail) {
        // More states than these do not wait in memory: they are made by patches.
        let room = (state?.json.count ?? 0) > 16 << 10 ? 8 : 1_024
        if let state, count < room || self[session] != nil, tail.count >= Self.tailCount {
            self[session] = state
        } else if tail.wantsState, self[session] == nil {
            updateValue(nil, forKey: session)
        }
    }
}

extension AppendBatch {
    /// The state behind its entries, where that is known.
    package func document(at time: Timestamp?, schema: Int) -> StoredDocument? {
        let version = expected + UInt64(count)
        return state.map {
            StoredDocument(
                version: version, lastChange: version, lastTime: time, schema: schema, json: $0)
        }
    }
}
