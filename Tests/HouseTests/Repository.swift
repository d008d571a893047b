import Foundation

/// The checkout that these tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func files(under path: String) throws -> [URL] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: path).path)
        return names.map { root.appending(path: path).appending(path: $0) }
    }
}
