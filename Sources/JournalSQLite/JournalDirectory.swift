import JournalRows
public import Journaling
import SQLite

/// A journal's directory, for who looks after it.
public struct JournalDirectory: Sendable {
    let path: String
    let options: SQLiteJournal.Options

    /// Looks at nothing yet.
    public init(_ path: String, options: SQLiteJournal.Options = SQLiteJournal.Options()) {
        self.path = path
        self.options = options
    }

    /// How far a long work is: so much is done, of so much, or zero where that is not known.
    public typealias Progress = (_ done: Int, _ all: Int) -> Void

    // MARK: Beside a server

    /// Reads the directory as it is at one moment, while a server may go on: the log grows meanwhile.
    func read<Value>(
        _ body: (inout Books, Database) throws -> Value
    ) throws(JournalRefusal) -> Value {
        do {
            let database = DataFolder.database(in: path)
            guard DataFolder.isFile(database) else {
                throw JournalRefusal("There is no journal in \(path).")
            }
            try WritingConnection.check(database)
            return try Database(database, isReadOnly: true).read { database in
                var books = Books(
                    try JournalRow.read(in: database), options, keyFile: options.keyFile(in: path))
                return try body(&books, database)
            }
        } catch {
            throw JournalRefusal(error, path)
        }
    }

    /// Copies the journal into another directory, as it is at one moment. The key of its secrets is not
    /// copied with it: keep that elsewhere.
    public func copy(to other: String, _ progress: @escaping Progress = { _, _ in })
        throws(JournalRefusal)
    {
        try read { _, database in
            let folder = try DataFolder(other)
            defer { folder.unlock() }
            try folder.takeCopy { try database.copy(to: $0, progress) }
        }
    }

    /// What a check has found: what was read, erasures whose bytes a server has still to overwrite, sessions that
    /// are not what was written, with the last version that is, and what SQLite says of its pages.
    public typealias Check = (
        sessions: Int, entries: Int, erasures: Int, damaged: [(session: String, good: UInt64?)],
        pages: [String]
    )

    /// Reads everything once: sums, versions without gaps, snapshots against patches byte by byte,
    /// secrets where their key is there, and the database's pages.
    public func check(_ progress: Progress = { _, _ in }) throws(JournalRefusal) -> Check {
        try read { books, database in
            var found: Check = (0, 0, 0, [], [])
            _ = try books.scanPassingDamage(in: database)
            // What is being erased has a name of that kind, whatever its status is by now.
            let live = "FROM session WHERE name NOT LIKE 'erased %'"
            let count = try? database.first("SELECT count(*) \(live)")
            // What damaged pages keep from being read is told with them.
            try passDamage {
                try PreparedQuery("SELECT * \(live)", in: database).each { row in
                    do {
                        found.entries += try books.check(row, in: database)
                    } catch {
                        guard case .damaged(let good) = JournalFailure(error) else { throw error }
                        found.damaged.append((row[1].text, good))
                    }
                    found.sessions += 1
                    progress(found.sessions, Int(count?[0].integer ?? 0))
                    return true
                }
            }
            for table in ["entry", "snapshot"] {
                try passDamage {
                    let orphans = try database.rows(
                        """
                        SELECT DISTINCT session FROM \(table) AS row
                        WHERE NOT EXISTS (SELECT 1 FROM session WHERE id = row.session)
                        """)
                    found.damaged += orphans.map { ("session \($0[0].integer), of no name,", nil) }
                }
            }
            try passDamage {
                let erasures = try database.first("SELECT count(*) FROM scrub")
                found.erasures = Int(erasures?[0].integer ?? 0)
            }
            // It may end with what it has to tell of.
            do {
                try PreparedQuery("PRAGMA integrity_check", in: database).each { row in
                    if row[0].text != "ok" { found.pages.append(row[0].text) }
                    return true
                }
            } catch DatabaseError.damagedPage {
                found.pages.append("\(DatabaseError.damagedPage)")
            }
            return found
        }
    }

    func passDamage(_ body: () throws -> Void) throws {
        do { try body() } catch DatabaseError.damagedPage {}
    }

    // MARK: Without a server

    /// Has the directory, while no server may.
    func have<Value>(
        _ body: (inout Books, Database) throws -> Value
    ) throws(JournalRefusal) -> Value {
        do {
            let folder = try DataFolder(path)
            defer { folder.unlock() }
            let connection = try WritingConnection(folder, options)
            let database = connection.database
            defer { database.close() }
            var books = connection.books
            defer { try? books.finish(in: database) }
            return try body(&books, database)
        } catch {
            throw JournalRefusal(error, path)
        }
    }

    /// Gives the disk back what is free in the database. It takes as much room again meanwhile.
    ///
    /// - Returns: the bytes before, and those behind it.
    public func compact() throws(JournalRefusal) -> (before: Int, after: Int) {
        // Where there is none, none is made.
        try read { _, _ in }
        return try have { _, database in
            let before = try database.byteCount()
            // It makes the new one in a file of no name, which need not fit into memory.
            let folder = path.replacing("'", with: "''")
            try database.execute("PRAGMA temp_store_directory = '\(folder)'")
            let found = try database.first("PRAGMA temp_store_directory")
            guard found?[0].text == path else {
                throw JournalRefusal("SQLite would write outside of \(path).")
            }
            defer { try? database.execute("PRAGMA temp_store_directory = ''") }
            try database.execute("PRAGMA temp_store = FILE")
            defer { try? database.execute("PRAGMA temp_store = MEMORY") }
            try database.execute("VACUUM")
            return (before, try database.byteCount())
        }
    }
}

extension Database {
    fileprivate func byteCount() throws -> Int {
        let found = try first(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        return Int(found?[0].integer ?? 0)
    }
}

extension SessionRow {
    /// Its passages from the oldest on: each ends with the state that the next one begins with.
    func walk(in database: Database, _ body: (Passage) throws -> Void) throws {
        let oldest = try database.first(
            "SELECT min(version) FROM snapshot WHERE session = ?1", .integer(id))
        var version = oldest?[0].version ?? 0
        while true {
            let passage = try Passage(of: id, around: version, to: place, in: database)
            try body(passage)
            guard let last = passage.rows.last, last.version < place.version else { return }
            version = last.version
        }
    }
}

extension Books {
    /// Looks whether a session is what was written.
    ///
    /// - Returns: the number of its entries.
    mutating func check(_ row: [SQLValue], in database: Database) throws -> Int {
        var row = try SessionRow(row)
        row.place = try head(of: row, in: database).place
        let key = try? sealing.key(of: row.id, in: database)
        var (count, end): (Int, (document: StoredDocument, chain: UInt32)?) = (0, nil)
        try row.walk(in: database) { passage in
            try passage.follow(&end)
            if let key { _ = try passage.document(with: key) }
            count += passage.rows.count
        }
        return count
    }
}
