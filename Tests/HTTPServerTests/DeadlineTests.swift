@testable import HTTPServer
import Sockets
import Testing

@Suite struct DeadlineTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1_000])
    func `a round of sweeps goes through each slot once`(count: Int) {
        let slots = (0..<Sweeper.sliceCount).flatMap { Sweeper.slots(ofSlice: $0, of: count) }
        #expect(slots == Array(0..<count))
    }

    /// The defaults, a hundred times as long: what the machine takes is nothing beside them.
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.headDuration *= 100
        limits.bodyDuration *= 100
        limits.requestDuration *= 100
        limits.idleDuration *= 100
        limits.writeProgressDuration *= 100
        limits.leastRateDuration *= 100
        return limits
    }()

    @Test func `a head that does not come in time is answered with 408`() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send("GET / HT")
            try await settle(server)
            await server.server.advance(by: .seconds(1900))
            try client.send("TP/1.1\r\n")
            try await settle(server)
            #expect(server.server.connectionCount == 1)
            await server.server.advance(by: .seconds(200))
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == ["408"])
            #expect(answer.contains("/problems/request-timeout"))
        }
    }

    @Test(arguments: [
        ("HEAD / HT", true), ("HEAD / HTTP/1.1\r\nHost: a", true), ("HEAD", false),
        ("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na", true),
        ("HEAD / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2", true),
        ("GET / HTTP/1.1\r\n", false),
    ])
    func `a HEAD that does not come in time is answered without content`(
        part: String, isHead: Bool
    ) async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(part)
            try await settle(server)
            await server.server.advance(by: .seconds(7000))
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == ["408"])
            #expect(answer.hasSuffix("\r\n\r\n") == isHead)
        }
    }

    @Test func `a body may take long as long as it moves`() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(Request.make("POST", "/echo", ["Content-Length: 3"]))
            for byte in ["a", "b"] {
                try await settle(server)
                await server.server.advance(by: .seconds(2900))
                try client.send(byte)
            }
            try await settle(server)
            await server.server.advance(by: .seconds(3100))
            #expect(try statuses(text(client.receiveAll())) == ["408"])
        }
    }

    @Test func `a request may not take for ever however it moves`() async throws {
        var limits = Self.limits
        limits.requestDuration = .seconds(6000)
        try await TestServer.run(limits: limits) { server in
            let client = try server.connect()
            try client.send(Request.make("POST", "/echo", ["Content-Length: 100"]))
            for _ in 0..<3 {
                try client.send("a")
                try await settle(server)
                #expect(server.server.connectionCount == 1)
                await server.server.advance(by: .seconds(1900))
            }
            try client.send("a")
            try await settle(server)
            await server.server.advance(by: .seconds(400))
            #expect(try statuses(text(client.receiveAll())) == ["408"])
        }
    }

    @Test func `an idle connection is closed in silence`() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(Request.get("/a"))
            _ = try client.receive(to: "GET /a")
            await server.server.advance(by: .seconds(7400))
            #expect(server.server.connectionCount == 1)
            await server.server.advance(by: .seconds(200))
            #expect(try client.receiveAll().isEmpty)
        }
    }

    @Test func `another server hears that nothing is done of what it may be sending by an old one`()
        async throws
    {
        let inner = try Listener(host: "127.0.0.1", port: 0)
        try await TestServer.run(limits: Self.limits, inner: inner) { server in
            let peer = try BlockingConnection(port: Int(inner.address.port))
            try peer.send(Request.get("/a"))
            _ = try peer.receive(to: "GET /a")
            await server.server.advance(by: .seconds(7600))
            #expect(try text(peer.receiveAll()).hasPrefix("HTTP/1.1 421 "))
        }
    }

    @Test func `a held request may take as long as it likes`() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(Request.get("/hold"))
            await server.journal.wait(for: "held")
            await server.server.advance(by: .seconds(10_000))
            _ = try server.exchange(Request.get("/release", close: true))
            #expect(try client.receive(to: "released").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `a client that takes nothing is closed, others are not`() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let slow = try server.connect()
            try slow.limitReceiveBuffer(to: 4096)
            try slow.send(Request.get("/big/20000000"))
            _ = try slow.receive(limit: 1)
            await server.advanceToTheLastConnection(by: .seconds(2100))
            #expect(server.server.connectionCount == 0)
            #expect(try server.isAlive())
        }
    }

    @Test func `a client that takes too little is closed, others are not`() async throws {
        var limits = Self.limits
        limits.writeProgressDuration = .seconds(1_000_000)
        try await TestServer.run(limits: limits) { server in
            let slow = try server.connect()
            try slow.limitReceiveBuffer(to: 4096)
            try slow.send(Request.get("/big/20000000"))
            for _ in 0..<10 { _ = try slow.receive(limit: 1) }
            await server.server.advance(by: .seconds(5900))
            #expect(server.server.connectionCount == 1)
            await server.advanceToTheLastConnection(by: .seconds(200))
            #expect(server.server.connectionCount == 0)
            #expect(try server.isAlive())
        }
    }

    @Test func `a connection of age ends with its next answer, an idle one at once`() async throws {
        var limits = Self.limits
        limits.connectionAge = .seconds(5000)
        limits.jitter = 0
        try await TestServer.run(limits: limits) { server in
            let idle = try server.connect()
            try idle.send(Request.get("/a"))
            _ = try idle.receive(to: "GET /a")
            await server.server.advance(by: .seconds(5100))
            #expect(try idle.receiveAll().isEmpty)
        }
    }

    @Test func `a connection whose age comes within a request ends with that answer`()
        async throws
    {
        var limits = Self.limits
        limits.connectionAge = .seconds(1500)
        limits.jitter = 0
        try await TestServer.run(limits: limits) { server in
            let client = try server.connect()
            try client.send("GET /a HTTP/1.1\r\n")
            try await settle(server)
            await server.server.advance(by: .seconds(1600))
            try client.send("Host: localhost\r\n\r\n")
            let answer = text(try client.receiveAll())
            #expect(answer.hasSuffix("GET /a"))
            #expect(answer.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func `ages differ from connection to connection, up to the configured share`()
        async throws
    {
        var limits = Self.limits
        limits.connectionAge = .seconds(5000)
        limits.jitter = 0.2
        try await TestServer.run(limits: limits) { server in
            let clients = try (0..<60).map { _ in try server.connect() }
            try await server.awaitConnections { $0 >= 60 }
            await server.server.advance(by: .seconds(3900))
            #expect(server.server.connectionCount == 60)
            await server.server.advance(by: .seconds(1100))
            #expect((1..<60).contains(server.server.connectionCount))
            await server.server.advance(by: .seconds(1100))
            #expect(server.server.connectionCount == 0)
            withExtendedLifetime(clients) {}
        }
    }

    /// Returns once the server has read what was sent before: its loop has answered another
    /// client, and closed that one's connection.
    private func settle(_ server: TestServer) async throws {
        #expect(try server.isAlive())
        try await server.awaitConnections { $0 <= 1 }
    }
}
