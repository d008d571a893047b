import Counter
import Gzip
import HTTPServer
import Sockets
import Statecast
import StatecastTesting
import Testing

@Suite struct `A compressed event stream` {
    private static let session = "/counter/sessions/demo"
    private static let optIn = "\(session)/events?compression=gzip"

    private func withCounter(
        _ configuration: ServerConfiguration = TestServer.configuration,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
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

/// A stream in gzip, inflated as it comes.
final class InflatingStream {
    private let connection: BlockingConnection
    private var decompressor = GzipDecompressor(outputLimit: 1 << 30)
    private var coded: [UInt8]
    /// The head of the answer.
    let head: String

    /// Asks for a stream and receives its head.
    init(_ server: TestServer, _ target: String, fields: [String: String] = [:]) throws {
        connection = try BlockingConnection(port: server.port)
        let all = ["Host": "127.0.0.1:\(server.port)", "Accept-Encoding": "gzip"]
            .merging(fields) { $1 }
        let lines = all.map { "\($0.key): \($0.value)\r\n" }.joined()
        try connection.send("GET \(target) HTTP/1.1\r\n\(lines)\r\n")
        let end: [UInt8] = [13, 10, 13, 10]
        func place(in bytes: [UInt8]) -> Int? {
            bytes.indices.first { bytes[$0...].starts(with: end) }
        }
        let first = try connection.receive { place(in: $0) != nil }
        let count = try #require(place(in: first))
        head = String(decoding: first[..<count], as: UTF8.self)
        coded = Array(first[(count + 4)...])
    }

    /// What comes, inflated, until it ends with `end`.
    func receive(to end: String) throws -> String {
        var plain: [UInt8] = []
        while true {
            let bytes = coded
            coded = []
            try decompressor.decompress(bytes.span, into: &plain)
            if plain.reversed().starts(with: end.utf8.reversed()) { break }
            coded = try connection.receive()
            guard !coded.isEmpty else { throw DecompressionFailure.truncated }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// Receives the end of the stream, which must be that of a gzip member.
    func finish() throws {
        var plain: [UInt8] = []
        let rest = try connection.receiveAll()
        try decompressor.decompress(rest.span, into: &plain)
        #expect(plain.isEmpty)
        var other = GzipDecompressor(outputLimit: 0)
        swap(&other, &decompressor)
        try other.finish()
    }
}
