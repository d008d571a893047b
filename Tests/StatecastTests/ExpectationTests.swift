import Counter
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
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) { server in
            try server.create(Self.path)
            let connection = try BlockingConnection(port: server.port)
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

    @Test(arguments: [
        ("Host: evil.example\r\n", "421"),
        ("Host: localhost\r\nOrigin: https://evil.example\r\n", "403"),
    ])
    func `is refused at once where the gate is shut`(fields: String, status: String) async throws {
        let all = fields + "Content-Type: application/json\r\n"
        #expect(
            try await firstStatus("POST /counter/sessions/demo/actions", all) == status)
    }
}
