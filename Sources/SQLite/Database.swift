internal import CSQLite

/// What SQLite says of a call that has failed (its primary result codes).
package enum DatabaseError: Error {
    /// A page of the database is none: what stands in others is as good as before.
    case damagedPage
    case full
    case readOnly
    case closed
    case other(code: Int32, String)
}

extension DatabaseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damagedPage: "a page of the database is damaged, or the file is none"
        case .full: "the disk is full"
        case .readOnly: "the database can only be read"
        case .closed: "the connection is closed"
        case .other(let code, let message): "SQLite error \(code): \(message)"
        }
    }
}

/// One connection, which is given from thread to thread, and is one's at a time.
///
/// Safety: nobody uses it who has given it away. Each text is a Swift text, which C has for the length of the
/// call, and each statement is of this connection, and gone before it.
@safe package final class Database: @unchecked Sendable {
    /// Nil behind its end.
    private var handle: OpaquePointer?
    /// Each text of the code once: a statement is compiled when it is first run.
    private var statements: [String: OpaquePointer] = unsafe [:]

    /// - Parameter timeout: how long a call waits where another connection writes.
    package init(
        _ path: String, isReadOnly: Bool = false, timeout: Duration = .seconds(1)
    ) throws {
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = unsafe sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, Int32(timeout / .milliseconds(1)))
        // What is set aside meanwhile stands in no file: it would outlive what is erased. The file is first read
        // by the third.
        try execute(
            """
            PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;
            SELECT 1 FROM sqlite_schema LIMIT 1
            """)
    }

    deinit { close() }

    /// What is asked for behind it fails.
    package func close() {
        for unsafe(_, statement) in unsafe statements { unsafe sqlite3_finalize(statement) }
        unsafe statements = [:]
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    /// A statement, which is reset and has no values.
    func statement(_ sql: String) throws -> OpaquePointer {
        if let found = unsafe statements[sql] { return unsafe found }
        var made: OpaquePointer?
        guard unsafe handle != nil else { throw DatabaseError.closed }
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard let made = unsafe made else { throw failure(code) }
        unsafe statements[sql] = unsafe made
        return unsafe made
    }

    /// Runs statements without values, whose text is of this one time.
    package func execute(_ sql: String) throws {
        guard unsafe handle != nil else { throw DatabaseError.closed }
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Copies all pages, as the open transaction sees them, to a file.
    package func copy(to path: String, _ progress: (_ done: Int, _ all: Int) -> Void) throws {
        let other = try Database(path)
        guard let copying = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.failure(unsafe sqlite3_errcode(other.handle))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = unsafe sqlite3_backup_step(copying, 1_000)
            let count = unsafe Int(sqlite3_backup_pagecount(copying))
            unsafe progress(count - Int(sqlite3_backup_remaining(copying)), count)
        }
        unsafe sqlite3_backup_finish(copying)
        guard code == SQLITE_DONE else { throw other.failure(code) }
    }

    /// Reads what is committed at one moment, while another connection may write. SQLite commits nothing where
    /// a damaged page was met, not even what was only read.
    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try run("BEGIN")
        defer { try? run("ROLLBACK") }
        return try body(self)
    }

    /// Makes changes, all or none.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body(self)
            try run("COMMIT")
            return value
        } catch {
            // Some errors have rolled back already.
            try? run("ROLLBACK")
            throw error
        }
    }

    func failure(_ code: Int32) -> DatabaseError {
        switch code & 0xff {
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damagedPage
        case SQLITE_FULL: return .full
        case SQLITE_READONLY: return .readOnly
        default:
            return .other(code: code, unsafe String(cString: sqlite3_errmsg(handle)))
        }
    }
}
