import Counter
import CounterModel
import Sockets
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `Several event loops` {
    private static let loads = 6

    @Test func `keep every session's order under load`() async throws {
        try await TestServer.run(
            changing: { $0.loopCount = 3 }, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            for number in 0..<Self.loads { try server.create("/counter/sessions/s\(number)") }
            try await withThrowingTaskGroup { group in
                for number in 0..<Self.loads {
                    let session = "/counter/sessions/s\(number)"
                    group.addTask { try Self.watch(session, server) }
                    for _ in 0..<2 { group.addTask { try Self.post(session, server) } }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Two of these move the counter to 200, each over a connection that meets every session.
    private static func post(_ session: String, _ server: TestServer) throws {
        let connection = try server.connect()
        let body = "{\"type\":\"incremented\",\"payload\":{\"by\":1}}"
        for turn in 0..<100 {
            // A request for another session now and then: it is forwarded, or moves the connection.
            let isOther = turn % 25 > 13
            let other = "/counter/sessions/s\(turn % loads)/state"
            let request =
                isOther
                ? "GET \(other) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n" : ""
            try connection.send(
                request + "POST \(session)/actions HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body)
            let answers = try connection.receive { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                return text.ranges(of: "HTTP/1.1 ").count == (isOther ? 2 : 1)
                    && text.hasSuffix("\"changed\":true}")
            }
            let text = String(decoding: answers, as: UTF8.self)
            #expect(text.ranges(of: "HTTP/1.1 200").count == (isOther ? 2 : 1))
        }
    }

    private static func watch(_ session: String, _ server: TestServer) throws {
        let events = try server.events(session)
        var version = -1
        while let event = try events.next() {
            let next = event.id.flatMap { $0.split(separator: "-").last }.flatMap { Int($0) }
            #expect(event.data == "{\"count\":\(next ?? -1)}")
            #expect((next ?? -1) > version)
            version = next ?? -1
            if version == 200 { return }
        }
        Issue.record("the stream of \(session) ended at \(version)")
    }
}
