import Counter
import CounterModel
import Gzip
@testable import HTTPServer
import Sockets
@testable import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `A compressed event stream` {
    private func open(_ demo: Demo, fields: [String: String] = [:]) throws -> InflatingStream {
        try InflatingStream(
            demo.server, demo.path + "/events?compression=gzip", fields: fields)
    }

    @Test func `shows each change at once`() async throws {
        try await Demo.counter { demo in
            let stream = try open(demo)
            #expect(try stream.receive(to: "data: {\"count\":0}\n\n").hasPrefix("retry: "))
            #expect(stream.head.contains("Content-Encoding: gzip"))
            #expect(stream.head.contains("Vary: Accept-Encoding"))
            #expect(stream.head.contains("Content-Type: text/event-stream"))
            for count in 1...20 {
                try demo.increment()
                let event = try stream.receive(to: "data: {\"count\":\(count)}\n\n")
                #expect(event.hasPrefix("id: "))
            }
        }
    }

    @Test func `is compressed once for all who have read the same`() async throws {
        let server = try Server(TestServer.configuration) {
            Served("/counter", CounterApplication())
        }
        try server.start()
        do {
            try await TestServer.runBlocking {
                let demo = Demo(server: TestServer(server), path: "/counter/sessions/demo")
                try demo.server.create(demo.path)
                var streams: [InflatingStream] = []
                for _ in 0..<3 { streams.append(try open(demo)) }
                for stream in streams { _ = try stream.receive(to: "data: {\"count\":0}\n\n") }
                // From one event on, a second after the last one came, they are together.
                await server.http.advance(by: .seconds(2))
                for count in 1...3 {
                    try demo.increment()
                    for stream in streams {
                        _ = try stream.receive(to: "data: {\"count\":\(count)}\n\n")
                    }
                    #expect(Set(streams.map(\.lastCoded)).count == 1)
                }
                #expect(streams.allSatisfy { $0.lastCoded.count <= 30 })
            }
            await server.shutDown()
        } catch {
            await server.shutDown()
            throw error
        }
    }

    @Test(arguments: [
        ("", "gzip"), ("?compression=gzip", ""), ("?compression=gzip", "br"),
        ("?compression=gzip", "gzip;q=0"), ("?compression=gzip", "gzip;q=0.5, identity"),
    ])
    func `needs both, the parameter and the coding accepted`(
        query: String, accepted: String
    ) async throws {
        try await Demo.counter { demo in
            let fields = accepted.isEmpty ? [:] : ["Accept-Encoding": accepted]
            let events = try demo.events(query, fields: fields)
            #expect(try events.next()?.data == "{\"count\":0}")
            #expect(!events.head.contains("Content-Encoding"))
            #expect(events.head.contains("Vary: Accept-Encoding") == !query.isEmpty)
        }
    }

    @Test(arguments: ["deflate", "", "GZIP"])
    func `of another coding is refused`(coding: String) async throws {
        try await Demo.counter { demo in
            let path = "\(demo.path)/events?compression=\(coding)"
            let answer = try demo.server.send("GET", path)
            #expect(answer.status == 400)
        }
    }

    @Test func `is plain where as many are open as allowed`() async throws {
        try await Demo.counter(changing: { $0.limits.compressedStreamCount = 0 }) { demo in
            let events = try demo.events("?compression=gzip", fields: ["Accept-Encoding": "gzip"])
            #expect(try events.next()?.data == "{\"count\":0}")
        }
    }

    @Test func `carries lines, too`() async throws {
        try await Demo.counter { demo in
            let stream = try open(demo, fields: ["Accept": "application/x-ndjson"])
            _ = try stream.receive(to: "\"state\":{\"count\":0}}\n")
            try demo.increment()
            _ = try stream.receive(to: "\"state\":{\"count\":1}}\n")
        }
    }

    @Test func `is pinged where nothing changes`() async throws {
        try await Demo.counter(changing: { $0.sessionLimits.pingDuration = .milliseconds(50) }) {
            demo in
            let stream = try open(demo)
            await demo.server.advance(by: .seconds(1))
            _ = try stream.receive(to: "event: ping\ndata: {}\n\n")
        }
    }

    @Test func `ends whole with its session`() async throws {
        try await Demo.counter { demo in
            let stream = try open(demo)
            _ = try stream.receive(to: "data: {\"count\":0}\n\n")
            _ = try demo.delete()
            _ = try stream.receive(to: "event: end\ndata: {}\n\n")
            try stream.finish()
        }
    }
}
