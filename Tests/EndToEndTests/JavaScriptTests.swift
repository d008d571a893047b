import Foundation
import Testing

@Suite struct `The JavaScript client in Node` {
    /// What the scripts import besides: Debian's `node-redux`. They start Debian's `node-typescript`.
    private static let libraries = "/usr/share/nodejs"

    @Test func `passes its own tests, alone and with a server`() throws {
        let server = try StatecastServer()
        let folder = Products.root.appending(path: "Tests/EndToEndTests/JavaScript").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".test.mjs") }.map { "\(folder)/\($0)" }
        let node = try RunningProcess(
            URL(filePath: "/usr/bin/env"),
            ["node", "--test", "--test-concurrency=2", "--test-reporter=tap"] + files,
            environment: [
                "STATECAST": server.base, "STATECAST_COMMAND": Products.statecast.path,
                "NODE_PATH": Self.libraries,
            ])
        var lines: [String] = []
        while let line = try? node.firstLine({ $0 }) { lines.append(line) }
        node.process.waitUntilExit()
        #expect(node.process.terminationStatus == 0, "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.hasPrefix("# pass ") && $0 != "# pass 0" })
    }
}
