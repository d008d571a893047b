import Counter
import CounterModel
import Sockets
import Statecast
import StatecastTesting
import Synchronization
import Testing

/// RFC 9110 §10.1.1.
@Suite(.onBothJournals) struct `One who awaits 100` {
    private static let path = "/counter/sessions/demo"

    /// The status of the first answer to a head; nothing of the body is sent.
    private func firstStatus(_ line: String, _ fields: String) async throws -> String {
        let status = Mutex("")
        try await Demo.counter { demo in
            let connection = try demo.server.connect()
            try connection.send(
                "\(line) HTTP/1.1\r\n\(fields)Content-Length: 41\r\nExpect: 100-continue\r\n\r\n")
            let head = try connection.receive { $0.contains(10) }
            let words = String(decoding: head, as: UTF8.self).split(separator: " ")
            status.withLock { $0 = String(words[1]) }
        }
        return status.withLock { $0 }
    }

    @Test(arguments: [
        ("POST /counter/sessions/demo/actions", "json", "100"),
        ("POST /counter/sessions/demo/actions", "text", "415"),
        ("POST /counter/sessions/none/actions", "json", "404"),
        ("POST /counter/sessions/demo/state", "json", "405"),
        ("POST /counter/sessions/demo/nothing", "json", "404"),
        ("POST /livez", "json", "405"), ("FOO /counter/sessions/demo/actions", "json", "501"),
        ("PUT /counter/sessions/new", "json", "100"), ("POST /counter/sessions", "json", "100"),
    ])
    func `is refused at once where the head says so`(
        line: String, type: String, status: String
    ) async throws {
        let media = type == "json" ? "application/json" : "text/plain"
        let fields = "Host: localhost\r\nContent-Type: \(media)\r\n"
        #expect(try await firstStatus(line, fields) == status)
    }

    /// What a client that waits is told about these sessions, of which some live on another loop
    /// than its connection.
    private func statuses(
        _ configuration: ServerConfiguration, _ fields: String,
        of sessions: [String]
    ) async throws -> [String] {
        try await TestServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            for session in sessions where !session.hasPrefix("none") {
                let fields = ["Authorization": "Bearer all"]
                _ = try server.send("PUT", "/counter/sessions/\(session)", fields: fields)
            }
            return try sessions.map { session in
                let connection = try server.connect()
                try connection.send(
                    "POST /counter/sessions/\(session)/actions HTTP/1.1\r\nHost: localhost\r\n"
                        + "\(fields)Content-Length: 41\r\nExpect: 100-continue\r\n\r\n")
                let head = try connection.receive { $0.contains(10) }
                return String(String(decoding: head, as: UTF8.self).split(separator: " ")[1])
            }
        }
    }

    private static let json = "Content-Type: application/json\r\n"

    @Test(arguments: [
        (json, "a", "100"), (json, "none", "404"), ("Content-Type: text/plain\r\n", "a", "415"),
        ("Content-Type: text/plain\r\n", "none", "415"), ("", "none", "415"),
    ])
    func `is told the same on every loop`(
        fields: String, session: String, status: String
    ) async throws {
        var configuration = TestServer.configuration
        configuration.loopCount = 2
        let sessions = (0..<8).map { session + "\($0)" }
        let all = try await statuses(configuration, fields, of: sessions)
        #expect(all == sessions.map { _ in status })
    }

    @Test(arguments: [1, 2])
    func `learns of no session without access`(loopCount: Int) async throws {
        var configuration = TestServer.configuration
        configuration.loopCount = loopCount
        configuration.authorize = {
            $0.authorization == "Bearer all"
                ? .granted(Principal("alice", roles: ["act", "observe"])) : .unauthenticated
        }
        let sessions = ["a", "none1", "b", "none2", "c", "none3"]
        let refused = try await statuses(configuration, Self.json, of: sessions)
        #expect(refused == sessions.map { _ in "401" })
        let fields = Self.json + "Authorization: Bearer all\r\n"
        let granted = try await statuses(configuration, fields, of: sessions)
        #expect(granted == ["100", "404", "100", "404", "100", "404"])
    }

    @Test(arguments: [
        ("Host: evil.example\r\n", "421"),
        ("Host: localhost\r\nOrigin: https://evil.example\r\n", "403"),
    ])
    func `is refused at once where the gate is shut`(fields: String, status: String) async throws {
        let all = fields + "Content-Type: application/json\r\n"
        #expect(try await firstStatus("POST /counter/sessions/demo/actions", all) == status)
    }
}
