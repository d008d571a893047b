import Counter
import CounterModel
import Gzip
import HTTPServer
import Sockets
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `A compressed event stream` {
    private static let session = "/counter/sessions/demo"
    private static let optIn = "\(session)/events?compression=gzip"

    private func withCounter(
        _ configuration: ServerConfiguration = TestServer.configuration,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await MemoryServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            try server.create(Self.session)
            try await body(server)
        }
    }

    @Test func `shows each change at once`() async throws {
        try await withCounter { server in
            let stream = try InflatingStream(server, Self.optIn)
            #expect(try stream.receive(to: "data: {\"count\":0}\n\n").hasPrefix("retry: "))
            #expect(stream.head.contains("Content-Encoding: gzip"))
            #expect(stream.head.contains("Vary: Accept-Encoding"))
            #expect(stream.head.contains("Content-Type: text/event-stream"))
            for count in 1...20 {
                try server.dispatch(Self.session, "incremented", "{\"by\":1}")
                let event = try stream.receive(to: "data: {\"count\":\(count)}\n\n")
                #expect(event.hasPrefix("id: "))
            }
        }
    }

    @Test(arguments: [
        ("", "gzip"), ("?compression=gzip", ""), ("?compression=gzip", "br"),
        ("?compression=gzip", "gzip;q=0"), ("?compression=gzip", "gzip;q=0.5, identity"),
    ])
    func `needs both, the parameter and the coding accepted`(
        query: String, accepted: String
    ) async throws {
        try await withCounter { server in
            let fields = accepted.isEmpty ? [:] : ["Accept-Encoding": accepted]
            let events = try server.events(Self.session, query: query, fields: fields)
            #expect(try events.next()?.data == "{\"count\":0}")
            #expect(!events.head.contains("Content-Encoding"))
            #expect(events.head.contains("Vary: Accept-Encoding") == !query.isEmpty)
        }
    }

    @Test(arguments: ["deflate", "", "GZIP"])
    func `of another coding is refused`(coding: String) async throws {
        try await withCounter { server in
            let path = "\(Self.session)/events?compression=\(coding)"
            let answer = try server.send("GET", path)
            #expect(answer.status == 400)
        }
    }

    @Test func `is plain where as many are open as allowed`() async throws {
        var configuration = TestServer.configuration
        configuration.limits.compressedStreamCount = 0
        try await withCounter(configuration) { server in
            let events = try server.events(
                Self.session, query: "?compression=gzip", fields: ["Accept-Encoding": "gzip"])
            #expect(try events.next()?.data == "{\"count\":0}")
        }
    }

    @Test func `carries lines, too`() async throws {
        try await withCounter { server in
            let stream = try InflatingStream(
                server, Self.optIn, fields: ["Accept": "application/x-ndjson"])
            _ = try stream.receive(to: "\"state\":{\"count\":0}}\n")
            try server.dispatch(Self.session, "incremented", "{\"by\":1}")
            _ = try stream.receive(to: "\"state\":{\"count\":1}}\n")
        }
    }

    @Test func `is pinged where nothing changes`() async throws {
        var configuration = TestServer.configuration
        configuration.sessionLimits.pingDuration = .milliseconds(50)
        try await withCounter(configuration) { server in
            let stream = try InflatingStream(server, Self.optIn)
            _ = try stream.receive(to: "event: ping\ndata: {}\n\n")
        }
    }

    @Test func `ends whole with its session`() async throws {
        try await withCounter { server in
            let stream = try InflatingStream(server, Self.optIn)
            _ = try stream.receive(to: "data: {\"count\":0}\n\n")
            _ = try server.send("DELETE", Self.session)
            _ = try stream.receive(to: "event: end\ndata: {}\n\n")
            try stream.finish()
        }
    }
}
