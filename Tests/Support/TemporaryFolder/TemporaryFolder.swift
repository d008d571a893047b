import Foundation

/// A folder of one test, which is made with the first file in it and goes with the last reference.
package final class TemporaryFolder: Sendable {
    package let path = NSTemporaryDirectory() + "statecast-\(UUID().uuidString)"

    package init() {}

    /// With these texts in it, by their files' names.
    package convenience init(_ texts: [String: String]) throws {
        self.init()
        for (name, text) in texts { try write(name, text) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, with the folders above it, changed at a whole second.
    package func write(
        _ name: String, _ content: [UInt8], modified: Int = 1_700_000_000, mode: Int = 0o644
    ) throws {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: url)
        try FileManager.default.setAttributes(
            [
                .modificationDate: Date(timeIntervalSince1970: Double(modified)),
                .posixPermissions: mode,
            ],
            ofItemAtPath: url.path)
    }

    package func write(_ name: String, _ text: String, modified: Int = 1_700_000_000) throws {
        try write(name, [UInt8](text.utf8), modified: modified)
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(name)", withDestinationPath: target)
    }
}
