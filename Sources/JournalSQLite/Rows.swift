import GRDB
import Journaling
import Redux
import SQLite

/// The tables, as `user_version` 1 has them.
///
/// Entries stand in the order of their arrival, and each names the one before it of its session: a key
/// of session and version would dirty a page for each entry, five times the CPU and sixteen times the
/// bytes.
enum Tables {
    static let applicationID: Int64 = 1_399_024_177
    static let format: Int64 = 1

    static let statements = """
        CREATE TABLE journal(id INTEGER PRIMARY KEY CHECK (id = 1), fence INTEGER NOT NULL,
            flushed INTEGER NOT NULL, settled INTEGER NOT NULL, hash_key BLOB NOT NULL,
            sum INTEGER NOT NULL) STRICT;
        CREATE TABLE session(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL,
            created INTEGER NOT NULL, status INTEGER NOT NULL, data_key BLOB, sum INTEGER NOT NULL,
            head INTEGER NOT NULL, head_seq INTEGER NOT NULL, touched INTEGER NOT NULL,
            alarm INTEGER, head_sum INTEGER NOT NULL) STRICT;
        CREATE INDEX session_alarm ON session(alarm) WHERE alarm IS NOT NULL;
        CREATE TABLE entry(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL,
            version INTEGER NOT NULL, previous INTEGER NOT NULL, at INTEGER NOT NULL,
            flags INTEGER NOT NULL, print INTEGER, alarm INTEGER, head BLOB NOT NULL, patch BLOB,
            sealed BLOB, sum INTEGER NOT NULL) STRICT;
        CREATE TABLE snapshot(id INTEGER PRIMARY KEY, session INTEGER NOT NULL,
            version INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER, changed INTEGER NOT NULL,
            schema INTEGER NOT NULL, chain INTEGER NOT NULL, sum INTEGER NOT NULL,
            work_version INTEGER, work BLOB, keys BLOB, state BLOB NOT NULL, sealed BLOB,
            UNIQUE(session, version)) STRICT;
        CREATE TABLE scrub(id INTEGER PRIMARY KEY, session INTEGER NOT NULL,
            seq INTEGER NOT NULL) STRICT;
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
    var hashKey: [UInt8]

    private var values: [SQLValue] {
        [.integer(fence), .integer(flushed), .integer(settled), .bytes(hashKey)]
    }

    static func read(in database: Database) throws -> JournalRow {
        let found = try database.first(
            "SELECT fence, flushed, settled, hash_key, sum FROM journal WHERE id = 1")
        guard let row = found, row.hasItsSum, row[3].bytes.count == 16 else {
            throw JournalFailure.damaged(good: nil)
        }
        return JournalRow(
            fence: row[0].integer, flushed: row[1].integer, settled: row[2].integer,
            hashKey: row[3].bytes)
    }

    func write(in database: Database) throws {
        try PreparedQuery(
            "INSERT OR REPLACE INTO journal VALUES (1, ?1, ?2, ?3, ?4, ?5)", in: database
        )
        .run(values.withSum())
    }
}

extension [SQLValue] {
    /// Its last value is the sum of the others, behind the sum of a row before it.
    func hasSum(after sum: UInt32) -> Bool {
        last?.optional == Int64(Checksum(of: dropLast(), after: sum).value)
    }

    /// Its last value is the sum of the others.
    var hasItsSum: Bool { hasSum(after: 0) }

    /// Its values, and their sum behind them.
    func withSum(after sum: UInt32 = 0) -> [SQLValue] {
        self + [.integer(Int64(Checksum(of: self, after: sum).value))]
    }
}

/// A session's row. Its place is true for one that sleeps, and up to `JournalRow.flushed`.
struct SessionRow {
    static let columns = """
        id, name, epoch, created, status, data_key, sum, head, head_seq, touched, alarm, head_sum
        """

    var id: Int64
    var name: SessionName
    var epoch: String
    var created: Int64
    var place: Place

    /// The end of a session's entries.
    struct Place: Hashable {
        /// The last entry's version, its number in the order of arrival, and its time.
        var version: UInt64 = 0
        var seq: Int64 = 0
        var touched: Int64
        var alarm: Int64?

        func values(of session: Int64) -> [SQLValue] {
            [
                .integer(session), SQLValue(version), .integer(seq), .integer(touched),
                SQLValue(alarm),
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
    var chain: UInt32 { Checksum(of: [.integer(id), .text(epoch)]).value }

    /// Throws where the row is not what was written.
    init(_ row: [SQLValue]) throws {
        guard let row = SessionRow(whole: row) else { throw JournalFailure.damaged(good: nil) }
        self = row
    }

    /// Nil where the row is not what was written.
    init?(whole row: [SQLValue]) {
        guard let name = SessionName(row[1].text), Array(row[...6]).hasItsSum,
            ([row[0]] + row[7...]).hasItsSum
        else { return nil }
        self.init(
            id: row[0].integer, name: name, epoch: row[2].text, created: row[3].integer,
            place: Place(
                version: row[7].bits, seq: row[8].integer, touched: row[9].integer,
                alarm: row[10].optional))
    }

    private init(id: Int64, name: SessionName, epoch: String, created: Int64, place: Place) {
        self.id = id
        self.name = name
        self.epoch = epoch
        self.created = created
        self.place = place
    }

    static func find(_ name: SessionName, in database: Database) throws -> SessionRow? {
        try database.first(
            "SELECT \(columns) FROM session WHERE name = ?1", .text(name.description)
        ).map { try SessionRow($0) }
    }

    /// Makes the row of a session that is not there.
    static func make(
        _ name: SessionName, _ new: NewSession, in database: Database
    ) throws -> SessionRow {
        let newest = try database.first("SELECT max(id) FROM session")
        let row = SessionRow(
            id: (newest?[0].integer ?? 0) + 1, name: name, epoch: new.epoch,
            created: new.created.milliseconds, place: Place(touched: new.created.milliseconds))
        let values: [SQLValue] = [
            .integer(row.id), .text(name.description), .text(row.epoch), .integer(row.created),
            .integer(0), .null,
        ]
        try PreparedQuery(
            "INSERT INTO session VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            in: database
        ).run(values.withSum() + row.place.values(of: row.id).withSum().dropFirst())
        return row
    }

    var summary: SessionSummary {
        SessionSummary(
            name: name, created: Timestamp(milliseconds: created), version: place.version,
            lastTime: Timestamp(milliseconds: place.touched),
            alarm: place.alarm.map { Timestamp(milliseconds: $0) })
    }
}

extension SessionName {
    /// The name of which this is the text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[parts.count - 2] == "sessions", let id = parts.last else {
            return nil
        }
        self.init(mount: parts.dropLast(2).joined(separator: "/"), id: String(id))
    }
}

/// An entry with its place among all.
struct EntryRow {
    private static let columns =
        "seq, session, version, previous, at, flags, print, alarm, head, patch, sealed, sum"

    /// Bits of `flags`; the schema of the state stands above the eighth.
    enum Flag {
        static let isLast: Int64 = 1
        static let setsAlarm: Int64 = 2
    }

    let values: [SQLValue]

    init(
        _ entry: EncodedEntry, seq: Int64, session: Int64, previous: Int64, schema: Int,
        alarm: AlarmChange, sealed: [UInt8]?, after sum: UInt32
    ) {
        let flags = (entry.isLast ? Flag.isLast : 0) | (alarm == .unchanged ? 0 : Flag.setsAlarm)
        var time: Int64?
        if case .at(let alarm) = alarm { time = alarm.milliseconds }
        let values: [SQLValue] = [
            .integer(seq), .integer(session), SQLValue(entry.version), .integer(previous),
            .integer(entry.at.milliseconds), .integer(flags | Int64(schema) << 8),
            SQLValue(entry.print), SQLValue(time), .bytes(entry.head), SQLValue(entry.patch),
            SQLValue(sealed),
        ]
        self.values = values.withSum(after: sum)
    }

    /// The entry with a number, as it stands there.
    init?(_ seq: Int64, in database: Database) throws {
        let found = try database.first(
            "SELECT \(Self.columns) FROM entry WHERE seq = ?1", .integer(seq))
        guard let found else { return nil }
        values = found
    }

    var seq: Int64 { values[0].integer }
    var session: Int64 { values[1].integer }
    var version: UInt64 { values[2].bits }
    /// The number of the entry before it of its session; 0 where there was none.
    var previous: Int64 { values[3].integer }
    var isLast: Bool { values[5].integer & Flag.isLast != 0 }
    var schema: Int { Int(values[5].integer >> 8) }
    var patch: [UInt8]? { values[9].optionalBytes }
    var sealed: [UInt8]? { values[10].optionalBytes }
    var byteCount: Int {
        EncodedEntry.overhead + values[8].bytes.count + (patch?.count ?? 0) + (sealed?.count ?? 0)
    }
    /// It has led to another state.
    var isChange: Bool { patch != nil || sealed != nil }
    var sum: UInt32 { UInt32(truncatingIfNeeded: values[11].integer) }

    /// The entry without its secrets.
    var entry: EncodedEntry {
        EncodedEntry(
            version: version, at: Timestamp(milliseconds: values[4].integer),
            head: values[8].bytes, print: values[6].optional.map { UInt64(bitPattern: $0) },
            patch: patch, isLast: isLast)
    }

    static func insertion(in database: Database) throws -> PreparedQuery {
        try PreparedQuery(
            "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            in: database)
    }
}

/// A session's state at a version at which it was visible.
struct SnapshotRow {
    private static let columns = """
        session, version, seq, at, changed, schema, chain, work_version, work, keys, state, sealed, sum
        """

    var session: Int64
    /// The number of its version's entry, and that row's sum.
    var seq: Int64
    var chain: UInt32
    var document: StoredDocument
    var work: KeptWork?
    /// The keys of the entries since the snapshot before, as JSON.
    var keys: [UInt8]?
    /// The state with its secrets; nil where it has none.
    var sealed: [UInt8]?

    func insert(in database: Database) throws {
        let values: [SQLValue] = [
            .integer(session), SQLValue(document.version), .integer(seq),
            SQLValue(document.lastTime?.milliseconds), SQLValue(document.lastChange),
            .integer(Int64(document.schema)), .integer(Int64(chain)), SQLValue(work?.version),
            SQLValue(work?.bytes), SQLValue(keys), .bytes(document.json), SQLValue(sealed),
        ]
        try PreparedQuery(
            """
            INSERT OR REPLACE INTO snapshot(\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, \
            ?8, ?9, ?10, ?11, ?12, ?13)
            """, in: database
        ).run(values.withSum())
    }

    /// The newest snapshot of a session at a version or before; throws where it is not what was
    /// written.
    static func find(
        _ session: Int64, atMost version: UInt64, in database: Database
    ) throws -> SnapshotRow? {
        let found = try database.first(
            """
            SELECT \(columns) FROM snapshot WHERE session = ?1 AND version <= ?2
            ORDER BY version DESC LIMIT 1
            """, .integer(session), .integer(Int64(clamping: version)))
        guard let row = found else { return nil }
        if row.hasItsSum { return SnapshotRow(row) }
        throw JournalFailure.damaged(
            good: try lastWhole(session, before: row[1].bits, in: database))
    }

    private static func lastWhole(
        _ session: Int64, before version: UInt64, in database: Database
    ) throws -> UInt64? {
        guard version > 0 else { return nil }
        do {
            return try find(session, atMost: version - 1, in: database)?.document.version
        } catch JournalFailure.damaged(let good) {
            return good
        }
    }

    private init(_ row: [SQLValue]) {
        self.init(
            session: row[0].integer, seq: row[2].integer,
            chain: UInt32(truncatingIfNeeded: row[6].integer),
            document: StoredDocument(
                version: row[1].bits, lastChange: row[4].bits,
                lastTime: row[3].optional.map { Timestamp(milliseconds: $0) },
                schema: Int(row[5].integer), json: row[10].bytes),
            work: row[8].optionalBytes.map { KeptWork(version: row[7].bits, bytes: $0) },
            keys: row[9].optionalBytes, sealed: row[11].optionalBytes)
    }

    init(
        session: Int64, seq: Int64, chain: UInt32, document: StoredDocument,
        work: KeptWork? = nil, keys: [UInt8]? = nil, sealed: [UInt8]? = nil
    ) {
        self.session = session
        self.seq = seq
        self.chain = chain
        self.document = document
        self.work = work
        self.keys = keys
        self.sealed = sealed
    }
}
