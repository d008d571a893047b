internal import CSQLite

/// A value of a row.
package enum SQLValue: Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    /// Versions and prints, by their bits.
    package init(_ value: UInt64?) { self.init(value.map { Int64(bitPattern: $0) }) }
    package init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }

    package var optional: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var integer: Int64 { optional ?? 0 }
    /// A version: what can be none becomes one that no session reaches, behind which there is room.
    package var version: UInt64 { 0...1 << 62 ~= integer ? UInt64(integer) : 1 << 62 }
    package var text: String { if case .text(let text) = self { text } else { "" } }
    package var optionalBytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    package var bytes: [UInt8] { optionalBytes ?? [] }
}

/// A statement of one connection.
///
/// Safety: the handle lives as long as its connection is not closed, both stay on that one's thread, and the
/// statement is reset, and has no values any more, before anybody has it again. What is read is copied
/// before the next step.
@safe package struct PreparedQuery {
    private let database: Database
    private let handle: OpaquePointer

    package init(_ sql: String, in database: Database) throws {
        self.database = database
        unsafe handle = try unsafe database.statement(sql)
    }

    /// Runs it, and calls `body` with each row that it has, until that says no.
    package func each(_ values: [SQLValue] = [], _ body: ([SQLValue]) throws -> Bool) throws {
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        for (place, value) in zip(Int32(1)..., values) { try check(bind(value, at: place)) }
        while try step(), try body(row) {}
    }

    package func run(_ values: [SQLValue] = []) throws { try each(values) { _ in true } }

    /// SQLite copies the bytes, and lets go of them with the bindings.
    private func bind(_ value: SQLValue, at place: Int32) -> Int32 {
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        // It has none.
        case .null: return SQLITE_OK
        case .integer(let value): return unsafe sqlite3_bind_int64(handle, place, value)
        case .text(let text):
            return unsafe sqlite3_bind_text(handle, place, text, Int32(text.utf8.count), copied)
        case .bytes(let bytes) where bytes.isEmpty:
            return unsafe sqlite3_bind_zeroblob(handle, place, 0)
        case .bytes(let bytes):
            return unsafe sqlite3_bind_blob(handle, place, bytes, Int32(bytes.count), copied)
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw database.failure(code) }
    }

    /// The row that it stands at.
    private var row: [SQLValue] {
        (0..<(unsafe sqlite3_column_count(handle))).map { value(at: $0) }
    }

    private func value(at index: Int32) -> SQLValue {
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, index))
        case let type:
            let start = unsafe sqlite3_column_blob(handle, index)
            let count = Int(unsafe sqlite3_column_bytes(handle, index))
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
            return unsafe type == SQLITE_TEXT
                ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
        }
    }

    private func step() throws -> Bool {
        let code = unsafe sqlite3_step(handle)
        guard code != SQLITE_ROW else { return true }
        guard code == SQLITE_DONE else { throw database.failure(code) }
        return false
    }
}

extension Database {
    package func run(_ sql: String, _ values: SQLValue...) throws {
        try PreparedQuery(sql, in: self).run(values)
    }

    /// Inserts a row, or puts it in the place of the one that has its key.
    package func put(_ values: [SQLValue], into table: String) throws {
        let places = String(repeating: ", ?", count: values.count - 1)
        try PreparedQuery("INSERT OR REPLACE INTO \(table) VALUES (?\(places))", in: self).run(
            values)
    }

    package func first(_ sql: String, _ values: SQLValue...) throws -> [SQLValue]? {
        var found: [SQLValue]?
        try PreparedQuery(sql, in: self).each(values) { row in
            found = row
            return false
        }
        return found
    }

    package func rows(_ sql: String, _ values: SQLValue...) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try PreparedQuery(sql, in: self).each(values) { row in
            rows.append(row)
            return true
        }
        return rows
    }
}
