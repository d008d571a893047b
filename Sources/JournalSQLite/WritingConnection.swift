import Journaling
import SQLite

/// The one connection that writes, opened: it has raised the fence, and knows what stands behind
/// `JournalRow.flushed`.
struct WritingConnection: Sendable {
    let database: Database
    var books: Books

    /// The bytes of pages that a connection keeps in memory.
    private static let cacheByteCount = 64 << 20

    init(_ folder: DataFolder, _ options: SQLiteJournal.Options) throws {
        let sessionCount = try folder.makeDatabase() ? 0 : Self.check(folder.database)
        let database = try Database(folder.database)
        try Self.prepare(database)
        var books = try database.write { try Self.begin(in: $0, options, folder) }
        // By themselves: a transaction that has met a damaged page cannot be committed. Who touches that
        // page is told.
        try? Self.mendIndexes(in: database)
        try books.scan(in: database)
        books.upkeep.sessionCount = sessionCount
        (self.database, self.books) = (database, books)
        folder.sync()
    }

    /// What was set is read back.
    private static func prepare(_ database: Database) throws {
        for pragma in [
            "journal_mode = WAL", "synchronous = FULL", "secure_delete = FAST",
            "wal_autocheckpoint = 0",
            "journal_size_limit = \(64 << 20)", "cache_size = \(-cacheByteCount / 1024)",
            "mmap_size = 0", "cell_size_check = ON",
        ] {
            try database.run("PRAGMA \(pragma)")
        }
        let expected: [(String, String)] = [("synchronous", "2"), ("journal_mode", "wal")]
        for (pragma, value) in expected {
            guard let found = try database.first("PRAGMA \(pragma)")?[0],
                found.text == value || found.integer == Int64(value)
            else {
                throw JournalRefusal("SQLite has not \(pragma) = \(value).")
            }
        }
    }

    private static func begin(
        in database: Database, _ options: SQLiteJournal.Options, _ folder: DataFolder
    ) throws -> Books {
        try makeTables(in: database)
        var row = try JournalRow.read(in: database)
        row.fence += 1
        row.settled += 1
        try row.write(in: database)
        return Books(row, options, keyFile: options.keyFile(in: folder.path))
    }

    private static func makeTables(in database: Database) throws {
        let count = try database.first("SELECT count(*) FROM sqlite_schema")
        guard count?[0].integer == 0 else { return }
        try database.execute(Tables.statements)
        try database.run("PRAGMA application_id = \(Tables.applicationID)")
        try database.run("PRAGMA user_version = \(Tables.format)")
        try JournalRow(hashKey: KeyedHash.makeKey()).write(in: database)
    }

    /// A wrong bit in the page of an index may hide what stands in its table: sessions that nobody finds,
    /// and alarms that never come. A million sessions are counted in 0.15 s.
    private static func mendIndexes(in database: Database) throws {
        let counts = try database.first(
            """
            SELECT count(*), (SELECT count(*) FROM session INDEXED BY sqlite_autoindex_session_1),
                count(alarm), (SELECT count(*) FROM session INDEXED BY session_alarm
                    WHERE alarm IS NOT NULL)
            FROM session NOT INDEXED
            """
        )?.map(\.integer)
        guard let counts, counts[0] > counts[1] || counts[2] > counts[3] else { return }
        try database.run("REINDEX session")
    }

    /// Looks at a file that is there before anything is written to it.
    ///
    /// - Returns: the number of sessions, by a connection that keeps few pages in memory; 0 where a
    ///   damaged page hides it.
    @discardableResult static func check(_ path: String) throws -> Int {
        let reader: Database
        do { reader = try Database(path, isReadOnly: true) } catch DatabaseError.readOnly
            where DataFolder.byteCount(of: path) <= Books.pageByteCount
        {
            // A power loss before the tables were made has left what SQLite takes back before it reads. Of
            // a larger file that is a part of a copy, or somebody else's: nothing would be left of it.
            reader = try Database(path)
        }
        let found = try reader.read { database in
            try [
                "PRAGMA application_id", "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_schema",
            ]
            .map { try database.first($0)?[0].integer ?? 0 }
        }
        // A first start that was killed has left no tables.
        guard found[0] == Tables.applicationID || found[2] == 0 else {
            throw JournalRefusal("\(path) is no journal of Statecast.")
        }
        guard found[1] == Tables.format || found[1] < Tables.format && found[2] == 0 else {
            let build = found[1] > Tables.format ? "a newer build" : "an earlier build"
            throw JournalRefusal(
                "\(path) is of \(build) (format \(found[1])), and is not read by this one.")
        }
        let count = try? reader.read { try $0.first("SELECT count(*) FROM session") }
        return Int(count?[0].integer ?? 0)
    }
}

extension JournalFailure {
    /// The failure that a statement's is, to those who ask for a journal.
    init(_ error: any Error) {
        switch error {
        case let failure as JournalFailure: self = failure
        case DatabaseError.damagedPage: self = .damaged(good: nil)
        case DatabaseError.full: self = .full
        case DatabaseError.readOnly: self = .readOnly
        default: self = .unavailable
        }
    }
}

extension Database {
    /// SQLite leaves what stood in a page that becomes free, and does not even write what was changed in it
    /// by the same transaction, unless it is told otherwise.
    func overwritingFreedPages(_ body: () throws -> Void) throws {
        try run("PRAGMA secure_delete = ON")
        defer { try? run("PRAGMA secure_delete = FAST") }
        try body()
    }
}
