@testable import HTTPServer
import Sockets
import Testing

/// Clients that mean harm: whatever they do ends, and others are answered all the while.
@Suite(.serialized) struct HostileTests {
    private static let count = 200
    /// The defaults, a hundred times as long: what the machine takes is nothing beside them.
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.headDuration *= 100
        limits.bodyDuration *= 100
        limits.requestDuration *= 100
        limits.idleDuration *= 100
        return limits
    }()

    private func connectMany(_ server: TestServer) throws -> [BlockingConnection] {
        try (0..<Self.count).map { _ in try server.connect() }
    }

    /// Returns once the server has accepted these connections, and read what came before.
    private func settle(_ server: TestServer, _ count: Int = HostileTests.count) async throws {
        try await server.awaitConnections { $0 >= count }
        #expect(try server.isAlive())
        try await server.awaitConnections { $0 <= count }
        await server.awaitArrivals()
    }

    @Test func `heads that come byte by byte end with their time`() async throws {
        try await TestServer.run(loops: 2, limits: Self.limits) { server in
            let clients = try connectMany(server)
            for byte in "GET /" {
                for client in clients { try client.send(String(byte)) }
                try await settle(server)
                await server.server.advance(by: .seconds(300))
            }
            #expect(server.server.connectionCount == Self.count)
            await server.server.advance(by: .seconds(600))
            for client in clients { #expect(try statuses(text(client.receiveAll())) == ["408"]) }
        }
    }

    @Test func `fields without end are refused at their bound`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            let field = "X-\(String(repeating: "a", count: 40)): b\r\n"
            for _ in 0..<200 { try client.send(field) }
            #expect(try statuses(text(client.receiveAll())) == ["431"])
        }
    }

    @Test(arguments: [
        ("GET /", "414"), ("X", "414"), ("\r\n", "414"), ("GET / HTTP/1.1\r\n ", "431"),
    ])
    func `a line without end is refused at its bound`(
        start: String, status: String
    ) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(start)
            for _ in 0..<40 { try client.send(String(repeating: "a", count: 1000)) }
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == [status])
        }
    }

    @Test(arguments: [
        "\(String(repeating: "0", count: 20_000))1\r\n",
        "1;\(String(repeating: "x", count: 20_000))",
        "fffffffffffffffff\r\n", "0\r\n\(String(repeating: "A: b\r\n", count: 10_000))",
    ])
    func `chunks that only cost are refused`(chunk: String) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.make("POST", "/echo", ["Transfer-Encoding: chunked"]) + chunk)
            let answer = text(try client.receiveAll())
            #expect(statuses(answer).count == 1)
            #expect(["400", "413", "431"].contains(statuses(answer).first))
        }
    }

    @Test func `a body in the smallest chunks is taken, up to its bound`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let chunks = String(repeating: "1\r\na\r\n", count: 10_000)
            try client.send(Request.make("POST", "/echo", ["Transfer-Encoding: chunked"]))
            for _ in 0..<10 { try client.send(chunks) }
            try client.send("0\r\n\r\n")
            let answer = text(try client.receive { $0.count > 100_000 })
            #expect(answer.contains("\r\nContent-Length: 100000\r\n"))
        }
    }

    @Test func `bodies that come byte by byte end with their time`() async throws {
        try await TestServer.run(loops: 2, limits: Self.limits) { server in
            let clients = try connectMany(server)
            for client in clients {
                try client.send(Request.make("POST", "/echo", ["Content-Length: 1000000"]))
            }
            for _ in 0..<11 {
                for client in clients { try client.send("a") }
                try await settle(server)
                await server.server.advance(by: .seconds(2500))
            }
            #expect(server.server.connectionCount == Self.count)
            for client in clients { try client.send("a") }
            try await settle(server)
            await server.server.advance(by: .seconds(2600))
            for client in clients { #expect(try statuses(text(client.receiveAll())) == ["408"]) }
        }
    }

    @Test func `connections without a word are closed in silence`() async throws {
        try await TestServer.run(loops: 2, limits: Self.limits) { server in
            let clients = try connectMany(server)
            try await settle(server)
            await server.server.advance(by: .seconds(7600))
            for client in clients { #expect(try client.receiveAll().isEmpty) }
            try await server.awaitConnections { $0 == 0 }
        }
    }

    @Test(arguments: [
        "", "GET /", "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func `a flood of resets leaves nothing behind`(start: String) async throws {
        try await TestServer.run(loops: 2, limits: Self.limits) { server in
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for number in 0..<Self.count {
                            let client = try server.connect()
                            try client.resetOnClose()
                            if !start.isEmpty { try? client.send(start) }
                            if number % 3 == 0 {
                                _ = try? client.receive(limit: 1, timeout: .milliseconds(1))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try server.isAlive())
            try await server.awaitConnections { $0 <= 0 }
        }
    }

    @Test func `a pipeline that nobody reads stops being read, and is answered whole`()
        async throws
    {
        try await TestServer.run { server in
            let client = try server.connect()
            let requests = [UInt8](String(repeating: Request.get("/big/2000"), count: 500).utf8)
            async let sent: Void = {
                for _ in 0..<40 { try client.send(requests) }
                try client.send(Request.get("/end", close: true))
            }()
            // The server has answered what there was room for, and reads no more.
            var before = -1
            while true {
                for _ in 0..<20 { #expect(try server.isAlive()) }
                let count = server.journal.all.count { $0 == "big" }
                guard count != before else { break }
                before = count
            }
            #expect(before < 10_000)
            var received = 0
            while true {
                let count = try client.receive().count
                guard count > 0 else { break }
                received += count
            }
            try await sent
            #expect(received > 20_000 * 2000)
            #expect(server.journal.all.count { $0 == "big" } == 20_000)
        }
    }

    @Test func `a client that takes all its connections keeps no other one out`() async throws {
        var limits = Self.limits
        limits.connectionsPerAddress = 50
        let journal = Journal()
        try await TestServer.run(
            loops: 2, limits: limits, journal: journal,
            handler: { _ in ProbeHandler(journal, client: 7) }
        ) { server in
            let clients = try connectMany(server)
            for client in clients { try? client.send("GET /") }
            try await server.awaitConnections { $0 == 50 }
            let other = try BlockingConnection(port: server.server.port, host: "127.0.0.1")
            #expect((try? other.receiveAll())?.isEmpty ?? true)
            #expect(server.server.connectionCount == 50)
            await server.server.advance(by: .seconds(2500))
            for client in clients { _ = try? client.receiveAll() }
            withExtendedLifetime(clients) {}
        }
    }
}
