@testable import HTTPServer
import Sockets
@testable import Statecast
import StatecastTesting
import Testing

@Suite(.serialized, .onBothJournals) struct `A slow reader` {
    private static let session = "/notes/sessions/demo"
    private static let actionCount = 150

    /// A server whose connections' time can be turned, with a session of 37 KB that compresses
    /// badly.
    private func withNotes(
        _ body: @Sendable (TestServer, Server) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.limits.writeProgressDuration = .seconds(1000)
        configuration.limits.unacknowledgedDuration = .seconds(1000)
        configuration.limits.leastRateDuration = .seconds(100_000)
        configuration.sessionLimits.streamAge = .seconds(100_000)
        let server = try Server(configuration) {
            NotesApplication().served(at: "/notes")
        }
        try server.start()
        do {
            try await TestServer.runBlocking {
                let client = TestServer(server)
                try client.create(Self.session)
                var generator = SystemRandomNumberGenerator()
                let noise = (0..<3_000).map { _ in
                    String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
                }
                try client.dispatch(Self.session, "added", "\"\(noise.joined())\"")
                try await body(client, server)
            }
        } catch {
            await server.shutDown()
            throw error
        }
        await server.shutDown()
    }

    @Test(arguments: ["", "?compression=gzip"])
    func `gets the newest state when it goes on, and delays nobody`(
        query: String
    ) async throws {
        try await withNotes { server, _ in
            let target = "\(Self.session)/events\(query)"
            let slow = try EventReader(server, target)
            async let quick = Self.watch(server, target)
            try await Self.awaitWatchers(2, server)
            try Self.post(server)
            // The quick one has seen the last action while the slow one has read nothing.
            let quickVersions = try await quick
            let slowVersions = try slow.versions(until: Self.last)
            for versions in [quickVersions, slowVersions] {
                #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
                #expect(versions.last == UInt64(Self.actionCount + 1))
            }
            // What both kernels hold is all that it gets of the past: 37 KB each.
            #expect(slowVersions.count < 30)
            let after = try server.dispatch(Self.session, "opened", "{\"text\":\"after\"}")
            let next = try slow.versions(until: "{\"text\":\"after\"}")
            #expect(next.last == UInt64(after.etag?.split(separator: "-").last ?? ""))
        }
    }

    @Test(arguments: ["", "?compression=gzip"])
    func `that takes nothing any more is closed, and nobody else is`(
        query: String
    ) async throws {
        try await withNotes { client, server in
            let target = "\(Self.session)/events\(query)"
            let dead = try EventReader(client, target)
            async let quick = Self.watch(client, target)
            try await Self.awaitWatchers(2, client)
            try Self.post(client)
            _ = try await quick
            let silent = try EventReader(client, target)
            try await Self.awaitWatchers(2, client)
            await server.http.advance(by: .seconds(500))
            try await Self.awaitWatchers(2, client)
            await server.http.advance(by: .seconds(501))
            try await Self.awaitWatchers(1, client)
            try client.dispatch(Self.session, "opened", "{\"text\":\"after\"}")
            _ = try silent.versions(until: "{\"text\":\"after\"}")
            withExtendedLifetime(dead) {}
        }
    }

    private static let last = "{\"text\":\"\(actionCount)\"}"

    /// Posts all actions over one connection: the first ones one by one, so that each is sent, the
    /// last ones at once, so that some are superseded within a turn.
    private static func post(_ server: TestServer) throws {
        let connection = try server.connect()
        let atOnce = actionCount - 50
        for number in 1...actionCount {
            let body = "{\"type\":\"opened\",\"payload\":{\"text\":\"\(number)\"}}"
            try connection.send(
                "POST \(session)/actions HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body)
            guard number <= atOnce || number == actionCount else { continue }
            let count = number == actionCount ? actionCount - atOnce : 1
            _ = try connection.receive { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                return text.hasSuffix("}") && text.ranges(of: "HTTP/1.1 200").count == count
            }
        }
    }

    /// The versions that a reader without pauses sees, up to the last action.
    private static func watch(_ server: TestServer, _ target: String) async throws -> [UInt64] {
        try EventReader(server, target).versions(until: last)
    }

    private static func awaitWatchers(_ count: Int, _ server: TestServer) async throws {
        var description = ""
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            description = try server.send("GET", session).body
            if description.contains("\"watchers\":\(count),") { return }
            await Task.yield()
        }
        Issue.record("there are never \(count) watchers: \(description)")
    }
}

/// A stream whose events' ids are read, compressed or not.
private final class EventReader {
    private let stream: InflatingStream

    init(_ server: TestServer, _ target: String) throws {
        stream = try InflatingStream(server, target)
    }

    /// The versions of the events that come, until one whose data ends with `end` and a brace.
    func versions(until end: String) throws -> [UInt64] {
        let text = try stream.receive(toPart: end)
        // By bytes: characters of so long a text take their time.
        let ids = text.utf8.split(separator: UInt8(ascii: "\n")).filter {
            $0.starts(with: "id: ".utf8)
        }
        return ids.compactMap { id in
            String(Substring(id)).split(separator: "-").last.flatMap { UInt64($0) }
        }
    }
}
