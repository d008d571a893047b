import Foundation

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
}
