import Foundation
import SQLite
import Testing

/// A folder for one test.
final class Place: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "journal-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var journal: String { "\(path)/journal" }
    var database: String { "\(journal)/journal.sqlite" }
    var log: String { "\(database)-wal" }

    func logByteCount() -> Int {
        let found = try? FileManager.default.attributesOfItem(atPath: log)
        return found?[.size] as? Int ?? 0
    }

    /// Changes a byte of the first page of a table, or of an index: 0 is the kind of page, 4 the number of
    /// its cells.
    func change(_ offset: Int, of table: String, _ change: (inout UInt8) -> Void) throws {
        let database = try Database(database)
        let page = try database.read { database in
            try database.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
        }
        database.close()
        var bytes = try Data(contentsOf: URL(filePath: self.database))
        change(&bytes[(try #require(page) - 1) * 4_096 + offset])
        try bytes.write(to: URL(filePath: self.database))
    }

    /// Makes a page none: the first on which a text stands.
    func damagePage(with text: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: database))
        let place = try #require(bytes.range(of: Data(text.utf8))).lowerBound
        bytes[place / 4_096 * 4_096] = 0xff
        try bytes.write(to: URL(filePath: database))
    }

    /// Nil where there is none.
    func reserveByteCount() throws -> Int? {
        let reserve = "\(journal)/journal.reserve"
        guard FileManager.default.fileExists(atPath: reserve) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: reserve)[.size] as? Int
    }

    private var page: URL { URL(filePath: "\(journal)/journal.reducing") }

    /// A trap has ended the process, as the page of what was reduced says.
    func isTrapped() throws -> Bool { try Data(contentsOf: page)[3_840] != 0 }

    /// The page says that a trap has ended the process.
    func trap() throws {
        var bytes = try Data(contentsOf: page)
        bytes[3_840] = 1
        try bytes.write(to: page)
    }
}

extension Database {
    /// The one value of a row.
    func integer(_ sql: String) throws -> Int? { try first(sql)?[0].optional.map { Int($0) } }
}
