import Foundation
import TemporaryFolder
import Testing

@Suite struct `A server that a fatal signal has ended` {
    private let folder = TemporaryFolder()

    private var errors: URL { URL(filePath: "\(folder.path)/errors") }

    private func said() throws -> String { try String(contentsOf: errors, encoding: .utf8) }

    /// Its errors are added to a file.
    private func serve(_ folder: String) throws -> (process: RunningProcess, base: String) {
        let process = try RunningProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c", #"exec "$0" "$@" 2>> "$ERRORS""#, Products.statecast.path, "serve", "--port",
                "0", "--upstream", "http://127.0.0.1:9", "--journal", "\(folder)/journal",
                "--crash-recording", "\(folder)/crashes",
            ],
            environment: [
                "ERRORS": errors.path,
                "SWIFT_BACKTRACE":
                    "enable=yes,color=no,symbolicate=off,images=none,threads=crashed,"
                    + "registers=none",
            ])
        let base = try process.firstLine { line in
            line.range(of: "serving on ").map { String(line[$0.upperBound...]) }
        }
        return (process, base)
    }

    @Test func `tells of it at its next start, behind Swift's own report`() async throws {
        try folder.write("errors", [])
        let (ended, base) = try serve(folder.path)
        let client = JSONClient(base: base)
        for path in ["", "/actions"] {
            _ = try await client.send(
                path.isEmpty ? "PUT" : "POST", "/counter/sessions/a\(path)",
                path.isEmpty ? nil : ["type": "incremented", "payload": ["by": 1]])
        }
        kill(ended.process.processIdentifier, SIGSEGV)
        // Swift's report is written by the handler of before, which goes on behind a signal that was
        // sent. Its writer, a child with the server's descriptors, waits for ever for a server that
        // ends before the report does, and Foundation waits for whoever has those descriptors.
        while try !said().contains("Backtrace took") {
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
        ended.killNow()
        let (next, _) = try serve(folder.path)
        let told = try said()
        #expect(
            told.contains(
                "has ended by SIGSEGV, in no reducer; the last action was incremented, version 1 "
                    + "of /counter/sessions/a. "))
        let file = try String(
            contentsOfFile: "\(folder.path)/crashes/crashes.ndjson", encoding: .utf8)
        #expect(file.hasPrefix(#"{"signal":"SIGSEGV","build":""#))
        #expect(file.contains(#"{"session":"/counter/sessions/a","version":1,"#))
        try replay(by: told)
        // What was told, and an orderly end, are told no more.
        _ = next.terminate()
        let (last, _) = try serve(folder.path)
        #expect(try said().ranges(of: "has ended by").count == 1)
        _ = last.terminate()
    }

    /// Runs the command that a server has told, as it stands there.
    private func replay(by told: String) throws {
        let place = "cd '\(folder.path)' && PATH='\(Products.directory.path)':$PATH && "
        let line = try #require(told.split(separator: "\n").first { $0.contains("has ended by") })
        let start = try #require(line.firstRange(of: "what led to it: ")).upperBound
        let (status, output, errors) = try Products.run(
            ["-c", place + line[start...]], of: URL(filePath: "/bin/sh"))
        #expect(status == 0 && errors.contains("1 entries"), "\(output)\(errors)")
        let recording = try String(
            contentsOfFile: "\(folder.path)/crash.ndjson", encoding: .utf8)
        let last = try #require(recording.split(separator: "\n").last)
        #expect(last.hasPrefix(#"{"version":1,"#) && last.contains("incremented"))
    }
}
