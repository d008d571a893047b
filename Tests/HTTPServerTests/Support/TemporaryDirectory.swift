import Foundation

/// A directory of one test, removed with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "statecast-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, with the directories above it, changed at a whole second.
    func write(_ name: String, _ content: [UInt8], modified: Int = 1_700_000_000) throws {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: url)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(modified))],
            ofItemAtPath: url.path)
    }

    func write(_ name: String, _ text: String, modified: Int = 1_700_000_000) throws {
        try write(name, [UInt8](text.utf8), modified: modified)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(name)", withDestinationPath: target)
    }
}
