import Bytes
import Foundation
package import Sockets
import Threads

/// A folder of hot reload, and one of an application in it, as a person with an editor has them.
package final class HotFolder: Sendable {
    package let root: TemporaryFolder
    private let application: String

    package init(_ application: String) {
        root = TemporaryFolder()
        self.application = "\(root.path)/\(application)"
    }

    package func path(_ name: String) -> String { "\(application)/\(name)" }

    package func text(_ name: String) -> String? {
        try? String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Waits until a file's text is as is wanted.
    package func wait(
        for name: String, _ isWanted: (String) -> Bool
    ) throws(SystemError) -> String {
        let watch = try FolderWatch([try EditedFolder(application)])
        let end = Instant.read().advanced(by: .seconds(120))
        while true {
            if let text = text(name), isWanted(text) { return text }
            guard Instant.read() < end else {
                throw SystemError(.open, .timedOut, subject: "\(name): \(text(name) ?? "missing")")
            }
            _ = watch.wait(until: end)
        }
    }

    /// As `touch` does, and `echo > file`.
    package func writeInPlace(_ name: String, _ text: String) throws {
        if !FileManager.default.fileExists(atPath: path(name)) { try make(name) }
        let file = try FileHandle(forWritingTo: URL(filePath: path(name)))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func make(_ name: String) throws {
        try Data().write(to: URL(filePath: path(name)), options: .withoutOverwriting)
    }

    /// Gives a file a size, with nothing on the disk.
    package func grow(_ name: String, to byteCount: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path(name)))
        try file.truncate(atOffset: byteCount)
        try file.close()
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name), withDestinationPath: target)
    }

    /// As vim does: tries the folder, moves the file away, and writes another one.
    package func replace(_ name: String, by text: String) throws {
        let files = FileManager.default
        try make("4913")
        try files.removeItem(atPath: path("4913"))
        try files.moveItem(atPath: path(name), toPath: path(name + "~"))
        try make(name)
        let file = try FileHandle(forWritingTo: URL(filePath: path(name)))
        for part in [text.prefix(text.count / 2), text.dropFirst(text.count / 2)] {
            try file.write(contentsOf: Data(part.utf8))
        }
        try file.close()
        try files.removeItem(atPath: path(name + "~"))
    }
}
