@testable import HTTPServer
import Sockets
import Testing

/// Clients that end their side of the connection (RFC 9112 §9.6).
@Suite struct HalfClosedTests {
    private static let places = ["", "/loop/0", "/loop/1"]

    @Test(arguments: places, [false, true])
    func `one whose request only it waits for has gone`(
        place: String, isLast: Bool
    ) async throws {
        try await TestServer.run(loops: 2) { server in
            let client = try server.connect()
            try client.send(Request.get(place + "/wait", close: isLast))
            await server.journal.wait(for: "held")
            try client.shutdownWrite()
            await server.awaitArrivals()
            #expect(server.journal.all.count { $0 == "client gone" } == 1)
            #expect(server.server.connectionCount == 0)
            #expect(try client.receiveAll().isEmpty)
        }
    }

    @Test(arguments: places)
    func `one that has gone before its request is held is not waited for`(
        place: String
    ) async throws {
        try await TestServer.run(loops: 2) { server in
            let client = try server.connect()
            try client.send(Request.get("/a") + Request.get(place + "/wait"))
            try client.shutdownWrite()
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == ["200"])
            try await server.awaitConnections { $0 <= 0 }
        }
    }

    @Test(arguments: places)
    func `one whose answer is wanted gets it`(place: String) async throws {
        try await TestServer.run(loops: place.isEmpty ? 1 : 2) { server in
            let client = try server.connect()
            try client.send(Request.post(place + "/hold", "body"))
            await server.journal.wait(for: "held")
            try client.shutdownWrite()
            await server.awaitArrivals()
            #expect(server.server.connectionCount == 1)
            _ = try server.exchange(Request.get(place + "/release", close: true))
            #expect(try text(client.receiveAll()).hasSuffix("released"))
        }
    }

    @Test(arguments: ["", "GET /half HT"])
    func `one with a long pipeline gets all of its answers`(rest: String) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(String(repeating: Request.get("/p"), count: 1000) + rest)
            try client.shutdownWrite()
            #expect(try statuses(text(client.receiveAll())).count == 1000)
            try await server.awaitConnections { $0 <= 0 }
        }
    }

    @Test func `answers before one that is held are sent whole`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.get("/big/20000000") + Request.get("/wait", close: true))
            await server.journal.wait(for: "big")
            try client.shutdownWrite()
            await server.awaitArrivals()
            let answer = try client.receiveAll(timeout: .seconds(30))
            #expect(answer.count > 20_000_000)
            try await server.awaitConnections { $0 == 0 }
        }
    }
}
