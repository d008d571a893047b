import JournalRows
import Journaling
import SQLite

extension Passage {
    /// Where a damaged entry does not say where the one before it stands, so many are looked through for it.
    private static let searchedCount: Int64 = 100_000

    /// The entries of a session around a version: behind the newest snapshot at it or before, up to the
    /// next one or the end. Throws where one of them is not what was written.
    ///
    /// - Parameter isWhole: false for those before the first that is not what was written.
    init(
        of session: Int64, around version: UInt64 = .max, to end: SessionRow.Place,
        isWhole: Bool = true, in database: Database
    ) throws {
        self.init(try Self.base(of: session, at: version, in: database))
        let last = try last(before: end, in: database)
        do {
            if try !read(to: last, in: database), !isWhole { try search(to: last, in: database) }
        } catch DatabaseError.damagedPage where !isWhole {
            rows = []
            try search(to: last, in: database)
        }
        let count = soundCount
        let isFound = count == rows.count && self.last == last.version
        rows.removeLast(rows.count - count)
        if isWhole, !isFound { throw JournalFailure.damaged(good: good) }
    }

    /// The entries of a session from one kept state to a later one. Throws where one of them is not what was
    /// written.
    init(from base: StoredState, to end: StoredState, in database: Database) throws {
        self.init(base)
        guard try read(to: (end.document.version, end.seq), in: database),
            soundCount == rows.count, rows.last?.sum == end.chain
        else { throw JournalFailure.damaged(good: nil) }
    }

    private static func base(
        of session: Int64, at version: UInt64, in database: Database
    ) throws -> StoredState {
        if let base = try StoredState.find(session, atMost: version, in: database) { return base }
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
        return (next?[0].version ?? end.version, next?[1].integer ?? end.seq)
    }

    /// Walks back from the last of the entries; false where that does not lead to the base.
    private mutating func read(
        to last: (version: UInt64, seq: Int64), in database: Database
    ) throws -> Bool {
        var (version, seq) = last
        while version > base.document.version {
            let found = try database.first("SELECT * FROM entry WHERE seq = ?1", .integer(seq))
            guard let row = found.map({ StoredEntry($0) }), row.session == base.session,
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
                let row = StoredEntry(values)
                guard row.version == self.last + 1 else { return false }
                rows.append(row)
                return row.version < last.version
            }
        } catch DatabaseError.damagedPage {
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
}

/// What is read beside the writer, of a session that it has found.
extension SessionRow {
    /// The end of its entries, of which the last one's row is read.
    func head(in database: Database) throws -> Books.Head {
        let end =
            try database.first(
                "SELECT sum, flags >> 8 FROM entry WHERE seq = ?1 AND session = ?2",
                .integer(place.seq), .integer(id))
            ?? database.first(
                "SELECT chain, schema FROM snapshot WHERE session = ?1 AND version = ?2",
                .integer(id), SQLValue(place.version))
        guard let end else { throw JournalFailure.damaged(good: nil) }
        return Books.Head(
            place: place, sum: UInt32(truncatingIfNeeded: end[0].integer),
            schema: Int(end[1].integer))
    }

    /// A passage that has a version, also where what follows is damaged.
    func passage(through version: UInt64, in database: Database) throws -> Passage {
        guard version <= place.version else { throw JournalFailure.compacted(oldest: nil) }
        let passage = try Passage(
            of: id, around: version, to: place, isWhole: false, in: database)
        guard version <= passage.last else { throw JournalFailure.damaged(good: passage.good) }
        return passage
    }

    /// Entries behind a version, until the limit is reached, or what is damaged.
    func entries(
        after version: UInt64, _ limit: ReadLimit, in database: Database
    ) throws -> [EncodedEntry] {
        var (found, last): ([EncodedEntry], UInt64) = ([], version)
        while last < place.version {
            let passage = try Passage(
                of: id, around: last, to: place, isWhole: false, in: database)
            guard try passage.add(to: &found, after: version, limit) else { break }
            last = found.last?.version ?? version
        }
        return found
    }
}
