import Foundation
import Testing

@Suite struct `The options of the commands` {
    /// The targets that read a command line.
    private let commands: Set<String> = [
        "StatecastCommand", "MockUpstreamCommand",
    ]

    @Test func `are named by the commands alone: a library speaks of its own settings`() throws {
        for file in try Repository.files(under: "Sources") where file.pathExtension == "swift" {
            guard commands.isDisjoint(with: file.pathComponents) else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
                #expect(
                    !line.contains(/\s"?--[a-z]/), "\(file.lastPathComponent) says \(line)")
            }
        }
    }
}
