import Journaling
import PostgreSQL
import Redux
import Sodium
import StateCoding

/// A state, and the entries behind it up to the next one that is kept, or the end; as far as they are
/// what was written.
struct Passage: Sendable {
    let session: StoredSession
    let base: StoredState
    private(set) var rows: [StoredEntry] = []
    /// All of them are what was written.
    let isWhole: Bool

    /// - Parameter last: the version up to which there have to be some.
    init(_ session: StoredSession, _ base: StoredState, _ found: [ResultRow], through last: UInt64)
    {
        (self.session, self.base) = (session, base)
        var (sum, version) = (base.chain, base.document.version)
        for row in found.lazy.map({ StoredEntry($0) }) {
            guard row.entry.version == version + 1,
                row.sum == row.checksum(of: session.id, after: sum)
            else { break }
            rows.append(row)
            (sum, version) = (row.sum, row.entry.version)
        }
        let isEnd = version == session.end.version
        isWhole =
            rows.count == found.count && version >= last
            && (!isEnd || sum == session.end.sum)
    }

    /// The version of its last entry, or of its base.
    var last: UInt64 { rows.last?.entry.version ?? base.document.version }
    /// The last version at which the state was visible.
    var good: UInt64 { rows.last { $0.entry.isLast }?.entry.version ?? base.document.version }
    /// The bytes of its entries.
    var byteCount: Int { rows.reduce(0) { $0 + $1.entry.byteCount } }

    /// The last entry at a version or before at which the state was visible; nil for the base.
    private func visible(at version: UInt64) -> StoredEntry? {
        rows.last { $0.entry.isLast && $0.entry.version <= version }
    }

    /// The last version of the batch that a version is of; a state is kept at one's end.
    func end(ofBatchAt version: UInt64) -> UInt64 {
        guard version > base.document.version else { return version }
        return rows.first { $0.entry.isLast && $0.entry.version >= version }?.entry.version
            ?? version
    }

    /// The state that was visible at a version or last before it, with its secrets where a key opens
    /// them.
    func document(
        at version: UInt64 = .max, with key: SealingKey? = nil
    ) throws(JournalFailure) -> StoredDocument {
        var found = base.document
        if let key { found.json = try base.whole(by: key) }
        guard let last = visible(at: version) else { return found }
        var entries: [EncodedEntry] = []
        for row in rows where row.entry.version <= last.entry.version {
            var entry = row.entry
            entry.secrets =
                if let key { try row.secrets(by: key) } else { row.sealed.map { Secret($0) } }
            entries.append(entry)
        }
        try found.apply(entries, withSecrets: key != nil)
        found.schema = last.schema
        return found
    }

    /// Whether a key is needed to read all of it.
    var hasSecrets: Bool { base.sealed != nil || rows.contains { $0.sealed != nil } }

    /// The session's key, where it has secrets.
    func key(by master: SealingKey?) throws(JournalFailure) -> SealingKey? {
        guard hasSecrets else { return nil }
        guard let key = try session.key(by: master) else { throw .missingKey }
        return key
    }

    /// Its base, or the state that was visible later, at a version or last before it.
    ///
    /// - Parameter state: a visible one without secrets, if one is known.
    func state(
        at version: UInt64 = .max, having state: StoredDocument? = nil, hash: KeyedHash,
        by master: SealingKey?
    ) throws(JournalFailure) -> StoredState {
        let version = state?.version ?? version
        guard let last = visible(at: version) else { return base }
        let document = if let state { state } else { try document(at: version) }
        var found = StoredState(document, chain: last.sum)
        found.work = try work(through: version)
        found.keys = KeyList(try keys(through: version, by: hash))
        if let key = try key(by: master) {
            found.seal(try self.document(at: version, with: key).json, by: key)
        }
        return found
    }

    /// What work needs behind its entries.
    func work(through version: UInt64 = .max) throws(JournalFailure) -> KeptWork? {
        let told = rows.indices.filter {
            rows[$0].entry.tellsOfWork && rows[$0].entry.version <= version
        }
        return try KeptWork.after(
            told.map { rows[$0].entry }, base.work, epoch: session.epoch)
    }

    /// The keys of its entries, the oldest first.
    func keys(
        through version: UInt64 = .max, by hash: KeyedHash
    ) throws(JournalFailure) -> [KeptKey] {
        var (keys, good): ([KeptKey], UInt64) = ([], base.document.version)
        for row in rows where row.entry.isLast && row.entry.version <= version {
            do throws(DecodingFailure) {
                if row.entry.print != nil,
                    var key = try KeptKey(in: row.entry, first: good + 1, by: hash)
                {
                    // Its secrets are sealed, and not in the entry.
                    key.changed = row.isChange
                    keys.append(key)
                }
            } catch {
                throw .damaged(good: good)
            }
            good = row.entry.version
        }
        return keys
    }
}
