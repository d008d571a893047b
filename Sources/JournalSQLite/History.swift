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

    /// The entries of a session around a version: behind the newest snapshot at it or before, up to the
    /// next one or the end. Throws where one of them is not what was written.
    init(
        of session: Int64, around version: UInt64, to end: SessionRow.Place,
        in database: Database
    ) throws {
        guard let base = try SnapshotRow.find(session, atMost: version, in: database) else {
            throw JournalFailure.compacted(oldest: try Self.oldest(of: session, in: database))
        }
        self.base = base
        let next = try database.first(
            """
            SELECT version, seq FROM snapshot WHERE session = ?1 AND version > ?2
            ORDER BY version LIMIT 1
            """, .integer(session), SQLValue(base.document.version))
        try read(
            to: next?[0].bits ?? end.version, from: next?[1].integer ?? end.seq, in: database)
        try verify()
    }

    /// The entries behind the newest snapshot, of which somebody has the last; nil where those are not
    /// all.
    init?(of session: Int64, having tail: [EntryRow], in database: Database) throws {
        guard let base = try SnapshotRow.find(session, atMost: .max, in: database) else {
            return nil
        }
        self.base = base
        rows = tail.filter { $0.version > base.document.version }
        guard rows.first?.previous ?? base.seq == base.seq else { return nil }
    }

    private static func oldest(of session: Int64, in database: Database) throws -> UInt64? {
        try database.first(
            "SELECT version FROM snapshot WHERE session = ?1 ORDER BY version LIMIT 1",
            .integer(session))?[0].bits
    }

    /// Walks back from the last of the entries.
    private mutating func read(
        to last: UInt64, from seq: Int64, in database: Database
    ) throws {
        var (version, seq) = (last, seq)
        while version > base.document.version {
            guard let row = try EntryRow(seq, in: database), row.session == base.session,
                row.version == version
            else { throw JournalFailure.damaged(good: base.document.version) }
            rows.append(row)
            (version, seq) = (version - 1, row.previous)
        }
        guard seq == base.seq else { throw JournalFailure.damaged(good: base.document.version) }
        rows.reverse()
    }

    private func verify() throws {
        var (sum, good) = (base.chain, base.document.version)
        for row in rows {
            guard row.values.hasSum(after: sum) else { throw JournalFailure.damaged(good: good) }
            sum = row.sum
            if row.isLast { good = row.version }
        }
    }

    /// The last entry at a version or before at which the state was visible; nil for the base.
    func visible(at version: UInt64) -> EntryRow? {
        rows.last { $0.isLast && $0.version <= version }
    }

    /// The state that was visible at a version or last before it.
    func document(at version: UInt64) throws -> StoredDocument {
        guard let last = visible(at: version) else { return base.document }
        var document = PatchedDocument(base.document.json)
        var found = base.document
        for row in rows.prefix(while: { $0.seq <= last.seq }) {
            if row.isChange { found.lastChange = row.version }
            do {
                if let patch = row.patch { try document.apply(patch.span) }
            } catch {
                throw JournalFailure.damaged(good: found.version)
            }
            if row.isLast { found.version = row.version }
        }
        (found.lastTime, found.schema) = (last.entry.at, last.schema)
        found.json = document.bytes()
        return found
    }

    /// The keys of its entries, the oldest first.
    func keys(through version: UInt64 = .max) throws -> [KeptKey] {
        var first = base.document.version + 1
        return try rows.prefix { $0.version <= version }.filter(\.isLast).compactMap {
            row in
            defer { first = row.version + 1 }
            return try KeptKey(in: row.entry, first: first)
        }
    }
}

extension SnapshotRow {
    /// The keys that it carries.
    func decodedKeys() throws -> [KeptKey] {
        try keys.map { try StateDecoder().decode([KeptKey].self, from: $0) } ?? []
    }

    static func encode(_ keys: [KeptKey]) throws -> [UInt8]? {
        guard !keys.isEmpty else { return nil }
        var bytes: [UInt8] = []
        try StateEncoder().encode(keys, into: &bytes)
        return bytes
    }

    /// The newest words about a session's work.
    static func work(of session: Int64, in database: Database) throws -> KeptWork? {
        let found = try database.first(
            """
            SELECT version FROM snapshot WHERE session = ?1 AND work IS NOT NULL
            ORDER BY version DESC LIMIT 1
            """, .integer(session))
        guard let found else { return nil }
        return try find(session, atMost: found[0].bits, in: database)?.work
    }

    /// The keys of a session's snapshots since a time, the oldest first.
    static func keys(
        of session: Int64, since: Int64, in database: Database
    ) throws -> [KeptKey] {
        let versions = try database.rows(
            """
            SELECT version FROM snapshot WHERE session = ?1 AND at >= ?2 AND keys IS NOT NULL
            ORDER BY version
            """, .integer(session), .integer(since))
        return try versions.flatMap {
            try find(session, atMost: $0[0].bits, in: database)?.decodedKeys() ?? []
        }
    }

    /// The version of the snapshot before one.
    static func version(
        before version: UInt64, of session: Int64, in database: Database
    ) throws -> UInt64? {
        try database.first(
            """
            SELECT version FROM snapshot WHERE session = ?1 AND version < ?2
            ORDER BY version DESC LIMIT 1
            """, .integer(session), SQLValue(version))?[0].bits
    }
}

/// A session as the writer found it, for those who read it beside the writer.
struct Located: Sendable {
    var session: Int64
    var epoch: String
    var created: Int64
    var end: SessionRow.Place
    var lease = Lease(session: 0, number: 0)
    var key: SealingKey?

    init(_ row: SessionRow, _ end: SessionRow.Place) {
        (session, epoch, created) = (row.id, row.epoch, row.created)
        self.end = end
    }

    /// The session as it goes on.
    func open(in database: Database) throws -> OpenedSession {
        let stretch = try Stretch(of: session, around: end.version, to: end, in: database)
        let begin = try SnapshotRow.version(
            before: stretch.base.document.version, of: session, in: database)
        var document = try stretch.document(at: end.version)
        document.json = try stretch.whole(at: end.version, by: key) ?? document.json
        return OpenedSession(
            lease: lease, epoch: epoch, created: Timestamp(milliseconds: created),
            document: document, keys: try stretch.base.decodedKeys() + stretch.keys(),
            keysBegin: begin ?? 0,
            work: try SnapshotRow.work(of: session, in: database))
    }

    func document(at version: UInt64, in database: Database) throws -> StoredDocument {
        guard version <= end.version else { throw JournalFailure.compacted(oldest: nil) }
        return try Stretch(of: session, around: version, to: end, in: database)
            .document(at: version)
    }

    /// Stretches behind a version, until the limit is reached.
    func entries(
        after version: UInt64, _ limit: ReadLimit, in database: Database
    ) throws -> [EncodedEntry] {
        var found: [EncodedEntry] = []
        var (last, byteCount) = (version, 0)
        while last < end.version {
            for row in try Stretch(of: session, around: last, to: end, in: database).rows
            where row.version == last + 1 {
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
