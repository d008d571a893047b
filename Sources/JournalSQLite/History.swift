import GRDB
import Journaling
import Redux
import SQLite
import Sodium
import StateCoding

/// A state, and the entries behind it, each of them as it was written.
struct Stretch {
    let base: SnapshotRow
    private(set) var rows: [EntryRow] = []

    /// Where a damaged entry does not say where the one before it stands, so many are looked through for it.
    private static let searchedCount: Int64 = 100_000

    init(_ base: SnapshotRow, _ rows: [EntryRow]) { (self.base, self.rows) = (base, rows) }

    /// The entries of a session around a version: behind the newest snapshot at it or before, up to the
    /// next one or the end. Throws where one of them is not what was written.
    ///
    /// - Parameter isWhole: false for those before the first that is not what was written.
    init(
        of session: Int64, around version: UInt64 = .max, to end: SessionRow.Place,
        isWhole: Bool = true, in database: Database
    ) throws {
        base = try Self.base(of: session, at: version, in: database)
        let last = try last(before: end, in: database)
        do {
            if try !read(to: last, in: database), !isWhole { try search(to: last, in: database) }
        } catch is DamagedPage where !isWhole {
            rows = []
            try search(to: last, in: database)
        }
        let count = soundCount
        let isFound = count == rows.count && self.last == last.version
        rows.removeLast(rows.count - count)
        if isWhole, !isFound { throw JournalFailure.damaged(good: good) }
    }

    /// The version of its last entry, or of its base.
    var last: UInt64 { rows.last?.version ?? base.document.version }
    /// The last version at which the state was visible.
    var good: UInt64 { rows.last { $0.isLast }?.version ?? base.document.version }

    private static func base(
        of session: Int64, at version: UInt64, in database: Database
    ) throws -> SnapshotRow {
        if let base = try SnapshotRow.find(session, atMost: version, in: database) { return base }
        let oldest = try database.first(
            "SELECT min(version) FROM snapshot WHERE session = ?1", .integer(session))
        throw JournalFailure.compacted(
            oldest: oldest?[0].optional.map { UInt64(bitPattern: $0) })
    }

    /// The last entry before the next snapshot, or the end.
    private func last(
        before end: SessionRow.Place, in database: Database
    ) throws -> (version: UInt64, seq: Int64) {
        let next = try database.first(
            """
            SELECT version, seq FROM snapshot WHERE session = ?1 AND version > ?2
            ORDER BY version LIMIT 1
            """, .integer(base.session), SQLValue(base.document.version))
        return (next?[0].bits ?? end.version, next?[1].integer ?? end.seq)
    }

    /// Walks back from the last of the entries; false where that does not lead to the base.
    private mutating func read(
        to last: (version: UInt64, seq: Int64), in database: Database
    ) throws -> Bool {
        var (version, seq) = last
        while version > base.document.version {
            guard let row = try EntryRow(seq, in: database), row.session == base.session,
                row.version == version
            else { break }
            rows.append(row)
            (version, seq) = (version - 1, row.previous)
        }
        guard version == base.document.version, seq == base.seq else {
            rows = []
            return false
        }
        rows.reverse()
        return true
    }

    /// Looks for entries one by one, as far as they and their pages are there.
    private mutating func search(
        to last: (version: UInt64, seq: Int64), in database: Database
    ) throws {
        let query = try PreparedQuery(
            "SELECT * FROM entry WHERE seq > ?1 AND seq <= ?2 AND session = ?3 ORDER BY seq",
            in: database)
        let end = min(last.seq, base.seq + Self.searchedCount)
        do {
            try query.each([.integer(base.seq), .integer(end), .integer(base.session)]) { values in
                let row = EntryRow(values)
                guard row.version == self.last + 1 else { return false }
                rows.append(row)
                return row.version < last.version
            }
        } catch is DamagedPage {
            // What was found counts.
        }
    }

    /// The number of entries before the first that is not what was written.
    private var soundCount: Int {
        var sum = base.chain
        for (index, row) in rows.enumerated() {
            guard row.hasSum(after: sum) else { return index }
            sum = row.sum
        }
        return rows.count
    }

    /// The last entry at a version or before at which the state was visible; nil for the base.
    private func visible(at version: UInt64) -> EntryRow? {
        rows.last { $0.isLast && $0.version <= version }
    }

    /// The last version of the batch that a version is of; a snapshot stands at one's end.
    func end(ofBatchAt version: UInt64) -> UInt64 {
        guard version > base.document.version else { return version }
        return rows.first { $0.isLast && $0.version >= version }?.version ?? version
    }

    /// The state that was visible at a version or last before it, with its secrets where a key opens
    /// them.
    func document(
        at version: UInt64 = .max, with key: SealingKey? = nil
    ) throws -> StoredDocument {
        var found = base.document
        if let key { found.json = try base.whole(by: key) }
        guard let last = visible(at: version) else { return found }
        let entries = try rows.prefix { $0.seq <= last.seq }.map { row in
            var entry = row.entry
            entry.secrets = try key.map { try row.secrets(by: $0) } ?? row.sealed.map { Secret($0) }
            return entry
        }
        try found.apply(entries, withSecrets: key != nil)
        found.schema = last.schema
        return found
    }

    /// The one of its session's keys that opens its secrets; nil where it has none.
    func sealing(by key: @autoclosure () throws -> SealingKey?) throws -> SealingKey? {
        guard base.sealed != nil || rows.contains(where: { $0.sealed != nil }) else { return nil }
        guard let key = try key() else { throw JournalFailure.missingKey }
        return key
    }

    /// Its base, or the state that was visible later, at a version or last before it.
    ///
    /// - Parameters:
    ///   - state: a visible one without secrets, if one is known.
    ///   - epoch: of its entries.
    func snapshot(
        at version: UInt64 = .max, having state: StoredDocument? = nil,
        _ epoch: @autoclosure () throws -> String, hash: KeyedHash,
        by key: @autoclosure () throws -> SealingKey?
    ) throws -> SnapshotRow {
        let version = state?.version ?? version
        guard let last = visible(at: version) else { return base }
        var row = SnapshotRow(
            session: base.session, seq: last.seq, chain: last.sum,
            document: try state ?? document(at: version),
            work: try work(through: version, epoch()),
            keys: KeyList(try keys(through: version, by: hash)))
        if let key = try sealing(by: key()) {
            row.seal(try document(at: version, with: key).json, by: key)
        }
        return row
    }

    /// What work needs behind its entries.
    func work(
        through version: UInt64 = .max, _ epoch: @autoclosure () throws -> String
    ) throws -> KeptWork? {
        // By their places, so that few rows are copied.
        let told = rows.indices.filter {
            rows[$0].entry.tellsOfWork && rows[$0].version <= version
        }
        if told.isEmpty { return base.work }
        return try KeptWork.after(told.map { rows[$0].entry }, base.work, epoch: epoch())
    }

    /// The keys of its entries, the oldest first.
    func keys(
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
}

/// A state of before, and the same with its secrets; nil where it has none.
typealias FormerState = (document: StoredDocument, whole: [UInt8]?)

/// What is read beside the writer, of a session that it has found.
extension SessionRow {
    func open(
        _ lease: Lease, _ key: SealingKey?, by hash: KeyedHash, in database: Database
    ) throws -> OpenedSession {
        let stretch = try stretch(through: place.version, in: database)
        return OpenedSession(
            lease: lease, epoch: epoch, created: Timestamp(milliseconds: created),
            document: try stretch.document(with: stretch.sealing(by: key)),
            keys: try stretch.keys(by: hash), keysBegin: stretch.base.document.version,
            work: try stretch.work(epoch))
    }

    func document(at version: UInt64, in database: Database) throws -> StoredDocument {
        try stretch(through: version, in: database).document(at: version)
    }

    /// A stretch that has a version, also where what follows is damaged.
    private func stretch(through version: UInt64, in database: Database) throws -> Stretch {
        guard version <= place.version else { throw JournalFailure.compacted(oldest: nil) }
        let stretch = try Stretch(
            of: id, around: version, to: place, isWhole: false, in: database)
        guard version <= stretch.last else { throw JournalFailure.damaged(good: stretch.good) }
        return stretch
    }

    /// The state at a version, with its secrets where it has some.
    func state(
        at version: UInt64, _ key: SealingKey?, in database: Database
    ) throws -> FormerState {
        let stretch = try stretch(through: version, in: database)
        return (
            try stretch.document(at: version),
            try stretch.sealing(by: key).map { try stretch.document(at: version, with: $0).json }
        )
    }

    /// Stretches behind a version, until the limit is reached, or what is damaged.
    func entries(
        after version: UInt64, _ limit: ReadLimit, in database: Database
    ) throws -> [EncodedEntry] {
        var found: [EncodedEntry] = []
        var (last, byteCount) = (version, 0)
        while last < place.version {
            let stretch = try Stretch(
                of: id, around: last, to: place, isWhole: false, in: database)
            guard stretch.good > last else {
                if found.isEmpty { throw JournalFailure.damaged(good: stretch.good) }
                return found
            }
            for row in stretch.rows where row.version == last + 1 && row.version <= stretch.good {
                let entry = row.entry
                byteCount += entry.byteCount
                guard found.count < limit.entryCount,
                    byteCount <= limit.byteCount || found.isEmpty
                else { return found }
                found.append(entry.withoutSecrets)
                last = entry.version
            }
        }
        return found
    }
}
