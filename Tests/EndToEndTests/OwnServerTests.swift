import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

/// `faulty-server`: what its author sees, and its clients.
@Suite struct `A server of an author's own` {
    private static let session = "/faulty/sessions/a"
    private let folder = TemporaryFolder()

    /// Starts it; the lines of its log until it serves.
    private func serve() throws -> (process: RunningProcess, base: String, log: [String]) {
        let process = try RunningProcess(
            Products.directory.appending(path: "faulty-server"), [],
            environment: ["FOLDER": folder.path, "SWIFT_BACKTRACE": "enable=no"])
        var log: [String] = []
        let base = try process.firstLine { line in
            log.append(line)
            return line.range(of: "serving on ").map { String(line[$0.upperBound...]) }
        }
        return (process, base, log)
    }

    @Test func `is warned of a large state, bounds its clients, and leads to what has crashed it`()
        async throws
    {
        let (server, base, log) = try serve()
        #expect(log.contains { $0.contains("A state of /faulty takes 1040 bytes itself") })
        let client = JSONClient(base: base)
        _ = try await client.exchange("PUT", Self.session)
        let stream = try CurlStream("\(base)\(Self.session)/events")
        let typed = ["b", "br", "bre"].map { #"{"type":"typed","payload":"\#($0)"}"# }
        let json = "[\(typed.joined(separator: ","))]"
        let (_, told) = try Curl.exchange([
            "-H", "Content-Type: application/json", "-d", json, "\(base)\(Self.session)/actions",
        ])
        #expect(String(decoding: told, as: UTF8.self).contains(#""version":1,"#))
        var texts: [String?] = []
        _ = try stream.state { state in
            texts.append(state["text"] as? String)
            return texts.last == "bre"
        }
        #expect(texts.count <= 3 && !texts.contains("br"))
        var statuses: [Int] = []
        for _ in 1...3 {
            let (answer, _) = try await client.dispatch(Self.session, "saved")
            statuses.append(answer.statusCode)
            let wait = answer.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            #expect(answer.statusCode == 200 ? wait == nil : (1...30).contains(wait ?? 0))
        }
        #expect(statuses == [200, 200, 429])
        let (_, metrics) = try await client.exchange("GET", "/metrics")
        let lines = String(decoding: metrics, as: UTF8.self).split(separator: "\n")
        for (type, outcome, count) in [
            ("typed", "delayed", 2), ("typed", "dropped", 1), ("saved", "limited", 1),
        ] {
            let line = lines.first { $0.contains(#"type="\#(type)""#) && $0.contains(outcome) }
            #expect(line?.hasSuffix(" \(count)") == true, "\(type) \(outcome): \(line ?? "none")")
        }

        _ = try? await client.dispatch(Self.session, "trapped")
        server.process.waitUntilExit()
        #expect(server.process.terminationReason == .uncaughtSignal)
        let (next, _, said) = try serve()
        let crash = try #require(said.first { $0.contains("has ended by SIG") })
        #expect(crash.contains("while it reduced trapped, version 5 of \(Self.session). "))
        try replay(by: crash)
        _ = next.terminate()
    }

    /// Runs the command that stands in a line of the log, beside the server, which has the journal.
    private func replay(by line: String) throws {
        let start = try #require(line.firstRange(of: "without the action itself: ")).upperBound
        let place = "cd '\(folder.path)' && PATH='\(Products.directory.path)':$PATH && "
        let (status, output, errors) = try Products.run(
            ["-c", place + line[start...]], of: URL(filePath: "/bin/sh"))
        #expect(status == 0, "\(output)\(errors)")
        #expect(output.contains("all 4 entries come to the same"), "\(output)\(errors)")
        let recording = try String(
            contentsOfFile: "\(folder.path)/crash.ndjson", encoding: .utf8)
        let last = try #require(recording.split(separator: "\n").last)
        #expect(last.hasPrefix(#"{"version":4,"#) && last.contains("saved"))
    }
}
