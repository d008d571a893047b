import JournalRows
import Journaling
import Redux
import SQLite
import StateCoding

/// The tables, as `user_version` 2 has them.
///
/// Entries stand in the order of their arrival, and each names the one before it of its session: a key
/// of session and version would dirty a page for each entry, five times the CPU and sixteen times the
/// bytes.
enum Tables {
    static let applicationID: Int64 = 1_399_024_177
    static let format: Int64 = 2

    static let statements = """
        CREATE TABLE journal(id INTEGER PRIMARY KEY CHECK (id = 1), fence INTEGER NOT NULL,
            flushed INTEGER NOT NULL, settled INTEGER NOT NULL, last_seq INTEGER NOT NULL,
            hash_key BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;
        CREATE TABLE session(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL,
            created INTEGER NOT NULL, status INTEGER NOT NULL, data_key BLOB, sum INTEGER NOT NULL,
            head INTEGER NOT NULL, head_seq INTEGER NOT NULL, touched INTEGER NOT NULL,
            alarm INTEGER, head_sum INTEGER NOT NULL) STRICT;
        CREATE INDEX session_alarm ON session(alarm) WHERE alarm IS NOT NULL;
        CREATE TABLE entry(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL,
            version INTEGER NOT NULL, previous INTEGER NOT NULL, at INTEGER NOT NULL,
            flags INTEGER NOT NULL, sum INTEGER NOT NULL, print BLOB, head BLOB NOT NULL, patch BLOB,
            sealed BLOB) STRICT;
        CREATE TABLE snapshot(session INTEGER NOT NULL, version INTEGER NOT NULL,
            seq INTEGER NOT NULL, at INTEGER, changed INTEGER NOT NULL, schema INTEGER NOT NULL,
            chain INTEGER NOT NULL, work_version INTEGER, work BLOB, keys BLOB,
            state BLOB NOT NULL, sealed BLOB, sum INTEGER NOT NULL,
            PRIMARY KEY(session, version)) STRICT;
        CREATE TABLE scrub(id INTEGER PRIMARY KEY, session INTEGER NOT NULL,
            seq INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
        CREATE TABLE ended(name_hash BLOB PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """
}

/// The one row about the journal itself.
struct JournalRow {
    /// Counts the starts: an older server's next transaction finds another one than its own.
    var fence: Int64 = 0
    /// Rows of sessions tell the truth about entries up to this one.
    var flushed: Int64 = 0
    /// Counts the commits that settled a failed one.
    var settled: Int64 = 0
    /// Entries that are overwritten had no higher number: none is given twice.
    var lastSeq: Int64 = 0
    var hashKey: [UInt8]

    private var values: [SQLValue] {
        [
            .integer(1), .integer(fence), .integer(flushed), .integer(settled), .integer(lastSeq),
            .bytes(hashKey),
        ]
    }

    static func read(in database: Database) throws -> JournalRow {
        guard let row = try database.first("SELECT * FROM journal"), row.hasItsSum,
            row.count == 7, row[5].bytes.count == 16
        else { throw JournalFailure.damaged(good: nil) }
        return JournalRow(
            fence: row[1].integer, flushed: row[2].integer, settled: row[3].integer,
            lastSeq: row[4].integer, hashKey: row[5].bytes)
    }

    func write(in database: Database) throws {
        try database.put(values.withSum(), into: "journal")
    }
}

extension SQLValue {
    var optionalTime: Timestamp? { optional.map { Timestamp(milliseconds: $0) } }
    var time: Timestamp { Timestamp(milliseconds: integer) }
}

extension [SQLValue] {
    /// Its last value is the sum of the others, behind the sum of a row before it.
    func hasSum(after sum: UInt32) -> Bool {
        last?.optional == Int64(Checksum(of: dropLast(), after: sum).value)
    }

    /// Its last value is the sum of the others.
    var hasItsSum: Bool { hasSum(after: 0) }

    /// Its values, and their sum behind them.
    consuming func withSum(after sum: UInt32 = 0) -> [SQLValue] {
        append(.integer(Int64(Checksum(of: self[...], after: sum).value)))
        return self
    }
}

/// A session's row. Its place is true for one that sleeps, and up to `JournalRow.flushed`.
struct SessionRow: Sendable {
    /// 0 for one that is to be made.
    var id: Int64 = 0
    var name: SessionName
    var epoch: String
    var created: Timestamp
    /// The print of its maker. It stands above the 44 bits of `created`, which last until 2527.
    var maker: UInt16 = 0
    var place: Place

    /// The end of a session's entries.
    struct Place: Hashable {
        /// The last entry's version, its number in the order of arrival, and its time.
        var version: UInt64 = 0
        var seq: Int64 = 0
        var touched: Timestamp
        var alarm: Timestamp?

        func values(of session: Int64) -> [SQLValue] {
            [
                .integer(session), SQLValue(version), .integer(seq),
                .integer(touched.milliseconds), SQLValue(alarm?.milliseconds),
            ]
        }

        func write(of session: Int64, in database: Database) throws {
            try PreparedQuery(
                """
                UPDATE session SET head = ?2, head_seq = ?3, touched = ?4, alarm = ?5,
                    head_sum = ?6 WHERE id = ?1
                """, in: database
            ).run(values(of: session).withSum())
        }
    }

    /// The sum that its first entry goes on from.
    var chain: UInt32 { Checksum(of: [.integer(id), .text(epoch)][...]).value }
}

extension SessionRow {
    /// Throws where the row is not what was written.
    init(_ row: [SQLValue]) throws(JournalFailure) {
        guard let name = SessionName(row[1].text), Array(row[...6]).hasItsSum,
            ([row[0]] + row[7...]).hasItsSum
        else { throw .damaged(good: nil) }
        self.init(
            id: row[0].integer, name: name, epoch: row[2].text,
            created: Timestamp(milliseconds: row[3].integer & (1 << 44 - 1)),
            maker: UInt16(clamping: row[3].integer >> 44),
            place: Place(
                version: row[7].version, seq: row[8].integer, touched: row[9].time,
                alarm: row[10].optionalTime))
    }

    static func find(_ name: SessionName, in database: Database) throws -> SessionRow? {
        try database.first("SELECT * FROM session WHERE name = ?1", .text(name.description))
            .map { row throws(JournalFailure) in try SessionRow(row) }
    }

    /// The next entry of a session begins another epoch.
    static func begin(_ epoch: String, of session: Int64, in database: Database) throws {
        let id = SQLValue.integer(session)
        guard var values = try database.first("SELECT * FROM session WHERE id = ?1", id) else {
            throw JournalFailure.damaged(good: nil)
        }
        values[2] = .text(epoch)
        try database.run(
            "UPDATE session SET epoch = ?2, sum = ?3 WHERE id = ?1", id, values[2],
            Array(values[..<6]).withSum()[6])
    }

    static func epoch(of session: Int64, in database: Database) throws -> String {
        try database.first("SELECT epoch FROM session WHERE id = ?1", .integer(session))?[0].text
            ?? ""
    }

    func insert(in database: Database) throws {
        let values: [SQLValue] = [
            .integer(id), .text(name.description), .text(epoch),
            .integer(created.milliseconds & (1 << 44 - 1) | Int64(maker) << 44), .integer(0), .null,
        ]
        try database.put(
            values.withSum() + place.values(of: id).withSum().dropFirst(), into: "session")
    }

    /// The first sessions that a query finds, without those whose rows are not what was written.
    static func summaries(
        _ query: PreparedQuery, _ values: [SQLValue], _ limit: Int
    ) throws -> [SessionSummary] {
        var found: [SessionSummary] = []
        try query.each(values) { row in
            if let row = try? SessionRow(row) { found.append(row.summary) }
            return found.count < limit
        }
        return found
    }

    var summary: SessionSummary {
        SessionSummary(
            name: name, epoch: epoch, created: created, version: place.version,
            lastTime: place.touched, alarm: place.alarm, maker: maker)
    }
}

/// A session that is to be made, at a version from which it goes on; its rows have no numbers yet, and
/// `whole` is the state with its secrets, nil where it has none.
typealias Beginning = (row: SessionRow, snapshot: StoredState, whole: [UInt8]?)

extension StoredEntry {
    init(_ values: [SQLValue]) {
        let flags = values[5].integer
        self.init(
            EncodedEntry(
                version: values[2].version, at: values[4].time, head: values[8].bytes,
                print: values[7].optionalBytes.flatMap { UInt128(bytes: $0) },
                patch: values[9].optionalBytes, isLast: flags & 1 != 0),
            of: values[1].integer, seq: values[0].integer, previous: values[3].integer,
            flags: flags, sealed: values[10].optionalBytes,
            sum: UInt32(truncatingIfNeeded: values[6].integer))
    }

    var byteCount: Int { entry.byteCount + (sealed?.count ?? 0) }

    /// The sum is the last of them.
    private var values: [SQLValue] {
        [
            .integer(seq), .integer(session), SQLValue(version), .integer(previous),
            .integer(entry.at.milliseconds), .integer(flags), SQLValue(entry.print?.bytes),
            .bytes(entry.head), SQLValue(entry.patch), SQLValue(sealed),
            .integer(Int64(sum)),
        ]
    }

    /// It is what was written behind the row that has this sum.
    func hasSum(after sum: UInt32) -> Bool {
        self.sum == Checksum(ofEntry: values.dropLast(), after: sum).value
    }

    /// Inserts it behind the row that has its sum so far.
    mutating func insert(by insertion: PreparedQuery) throws {
        var values = values
        sum = Checksum(ofEntry: values.dropLast(), after: sum).value
        values[values.count - 1] = .integer(Int64(sum))
        try insertion.run(values)
    }

    static func insertion(in database: Database) throws -> PreparedQuery {
        try PreparedQuery(
            "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?11, ?7, ?8, ?9, ?10)",
            in: database)
    }
}

extension StoredState {
    /// Nil where the row is not what was written.
    private init?(_ row: [SQLValue]) {
        guard row.hasItsSum, row[4].version <= row[1].version else { return nil }
        self.init(
            StoredDocument(
                version: row[1].version, lastChange: row[4].version,
                lastTime: row[3].optionalTime,
                schema: Int(row[5].integer), json: row[10].bytes),
            chain: UInt32(truncatingIfNeeded: row[6].integer))
        (session, seq) = (row[0].integer, row[2].integer)
        work = row[8].optionalBytes.map { KeptWork(version: row[7].version, bytes: $0) }
        keys = row[9].optionalBytes.map { KeyList(bytes: $0) }
        sealed = row[11].optionalBytes
    }

    func insert(in database: Database) throws {
        let values: [SQLValue] = [
            .integer(session), SQLValue(document.version), .integer(seq),
            SQLValue(document.lastTime?.milliseconds), SQLValue(document.lastChange),
            .integer(Int64(document.schema)), .integer(Int64(chain)), SQLValue(work?.version),
            SQLValue(work?.bytes), SQLValue(keys?.bytes), .bytes(document.json), SQLValue(sealed),
        ]
        try database.put(values.withSum(), into: "snapshot")
    }

    /// The newest snapshot of a session at a version or before; where it is not what was written, the
    /// failure names the newest before it that is.
    static func find(
        _ session: Int64, atMost version: UInt64, in database: Database
    ) throws -> StoredState? {
        let (found, isDamaged) = try search(
            "version <= ?2 ORDER BY version DESC", session, Int64(clamping: version), in: database)
        if isDamaged { throw JournalFailure.damaged(good: found?.document.version) }
        return found
    }

    /// The first of a session's snapshots that is what was written, and whether one before it is not.
    private static func search(
        _ places: String, _ session: Int64, _ version: Int64, in database: Database
    ) throws -> (found: StoredState?, isDamaged: Bool) {
        let query = try PreparedQuery(
            "SELECT * FROM snapshot WHERE session = ?1 AND \(places)", in: database)
        var (found, isDamaged): (StoredState?, Bool) = (nil, false)
        try query.each([.integer(session), .integer(version)]) { row in
            found = StoredState(row)
            isDamaged = isDamaged || found == nil
            return found == nil
        }
        return (found, isDamaged)
    }

    /// The keys of a session's snapshots since a time, the oldest first; of too many the newest. For a snapshot
    /// that is not what was written the entries tell them.
    static func keys(
        of session: Int64, since: Int64, by hash: KeyedHash, in database: Database
    ) throws -> [KeptKey] {
        let query = try PreparedQuery(
            """
            SELECT * FROM snapshot WHERE session = ?1 AND at >= ?2 AND keys IS NOT NULL
            ORDER BY version DESC
            """, in: database)
        var (keys, count): ([[KeptKey]], Int) = ([], 0)
        try query.each([.integer(session), .integer(since)]) { row in
            if let row = StoredState(row) {
                keys.append(try row.keys?.decode() ?? [])
            } else {
                let known = keys.joined().lazy.map(\.last).min() ?? .max
                let found = try Self.keys(
                    beside: row[1].integer, of: session, by: hash, in: database)
                keys.append(found.filter { $0.last < known })
            }
            count += keys.last?.count ?? 0
            return count < KeyList.most
        }
        return Array(keys.reversed().joined())
    }

    /// The keys between the snapshots that stand beside one that is not what was written.
    private static func keys(
        beside version: Int64, of session: Int64, by hash: KeyedHash, in database: Database
    ) throws -> [KeptKey] {
        let base = try search("version < ?2 ORDER BY version DESC", session, version, in: database)
        let end = try search("version > ?2 ORDER BY version", session, version, in: database)
        guard let base = base.found, let end = end.found else {
            throw JournalFailure.damaged(good: nil)
        }
        return try Passage(from: base, to: end, in: database).keys(by: hash)
    }
}
