import Gzip
@testable import HTTPServer
import Sockets
import Testing

@Suite(.serialized) struct `Where memory is short` {
    /// What is left to the clients of a test, beside what other tests hold.
    private func limits(_ byteCount: Int) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.memoryByteCount = MemoryBudget(limit: 0, loopCount: 1).used + byteCount
        return limits
    }

    private func head(_ length: Int, close: Bool = false) -> String {
        let connection = close ? "Connection: close\r\n" : ""
        return "POST /echo HTTP/1.1\r\nHost: a\r\n\(connection)Content-Length: \(length)\r\n\r\n"
    }

    @Test(arguments: [false, true])
    func `a large body is refused while it comes, and small ones are taken`(
        isChunked: Bool
    ) async throws {
        try await TestServer.run(limits: limits(100 * 1024)) { server in
            let large = try server.connect()
            let part = String(repeating: "a", count: 160 * 1024)
            let chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            try large.send(
                isChunked ? chunked + "40000\r\n" + part : head(300 * 1024) + part)
            let answer = try text(large.receiveAll())
            #expect(statuses(answer) == ["503"])
            #expect(answer.contains("\r\nRetry-After: 5\r\n"))
            #expect(answer.contains("/problems/short-of-memory"))
            #expect(answer.contains("\r\nConnection: close\r\n"))
            await server.advanceToTheLastConnection(by: .seconds(3))
            #expect(try statuses(server.exchange(head(3, close: true) + "abc")) == ["200"])
        }
    }

    @Test func `many incomplete bodies are bounded together`() async throws {
        try await TestServer.run(limits: limits(550 * 1024)) { server in
            var connections: [BlockingConnection] = []
            for _ in 0..<20 {
                let connection = try server.connect()
                try connection.send(head(60 * 1024) + String(repeating: "a", count: 30 * 1024))
                connections.append(connection)
            }
            await server.awaitArrivals()
            // Each of them is small, and goes on; a large one finds no room any more.
            let large = try server.connect()
            try large.send(head(300 * 1024) + String(repeating: "a", count: 80 * 1024))
            #expect(try statuses(text(large.receiveAll())) == ["503"])
            for connection in connections {
                try connection.send(String(repeating: "a", count: 30 * 1024))
                let answer = try connection.receive { $0.count > 60 * 1024 }
                #expect(text(answer).hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test func `what was counted for a connection is given back when it ends`() async throws {
        try await TestServer.run(limits: limits(400 * 1024)) { server in
            for _ in 0..<20 {
                do {
                    let connection = try server.connect()
                    try connection.send(
                        head(300 * 1024) + String(repeating: "a", count: 200 * 1024))
                    await server.awaitArrivals()
                }
                try await server.awaitConnections { $0 == 0 }
            }
            let body = String(repeating: "a", count: 300 * 1024)
            #expect(try statuses(server.exchange(head(300 * 1024, close: true) + body)) == ["200"])
        }
    }

    @Test(arguments: [(60_000, "200"), (70_000, "503"), (1_000_000, "503")])
    func `no large body is made of a small one`(byteCount: Int, status: String) async throws {
        let memory = MemoryBudget(limit: 1_000_000, loopCount: 1)
        memory.update(.sessions, of: 0, 1_100_000)
        try await TestServer.run(memory: memory) { server in
            let content = [UInt8](repeating: 97, count: byteCount)
            let coded = gzip(content.span, level: 6)
            let client = try server.connect()
            try client.send(
                "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\n"
                    + "Content-Length: \(coded.count)\r\n\r\n")
            try client.send(coded)
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == [status])
            #expect(answer.contains("short-of-memory") == (status == "503"))
        }
    }

    @Test(arguments: [(3_000, "200"), (5_000, "503"), (70_000, "503")])
    func `hardly any body is taken where it is far too short`(
        byteCount: Int, status: String
    ) async throws {
        let memory = MemoryBudget(limit: 1_000, loopCount: 1)
        memory.update(.sessions, of: 0, 2_000)
        try await TestServer.run(memory: memory) { server in
            let body = String(repeating: "a", count: byteCount)
            let answer = try server.exchange(head(byteCount, close: true) + body)
            #expect(statuses(answer) == [status])
        }
    }

    @Test func `a large body that comes in one piece is refused, and the connection goes on`()
        async throws
    {
        var limits = HTTPLimits()
        limits.scarceBodyByteCount = 10_000
        let memory = MemoryBudget(limit: 1_000_000, loopCount: 1)
        memory.update(.sessions, of: 0, 1_100_000)
        try await TestServer.run(limits: limits, memory: memory) { server in
            let body = String(repeating: "a", count: 20_000)
            let answer = try server.exchange(
                head(20_000) + body + head(5, close: true) + "abcde")
            #expect(statuses(answer) == ["503", "200"])
        }
    }

    @Test func `a client that leaves much unread is disconnected, one that reads is not`()
        async throws
    {
        let memory = MemoryBudget(limit: 1_000_000, loopCount: 1)
        try await TestServer.run(memory: memory) { server in
            let slow = try server.connect()
            try slow.send(Request.get("/big/20000000"))
            await server.journal.wait(for: "big")
            let held = try server.connect()
            try held.send(Request.get("/hold"))
            await server.journal.wait(for: "held")
            memory.update(.sessions, of: 0, 1_100_000)
            await server.server.advance(by: .zero)
            try await server.awaitConnections { $0 == 1 }
            _ = try server.exchange(Request.get("/release", close: true))
            #expect(try held.receive(to: "released").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `what waits for a client that has more than its share goes first`() async throws {
        let memory = MemoryBudget(
            limit: MemoryBudget(limit: 0, loopCount: 1).used + 100_000_000, loopCount: 1)
        try await TestServer.run(memory: memory) { server in
            var greedy: [BlockingConnection] = []
            for _ in 0..<8 {
                greedy.append(try server.connect())
                try greedy.last?.send(Request.get("/big/10000000?7"))
            }
            let other = try server.connect()
            try other.send(Request.get("/big/10000000?8", close: true))
            await server.journal.wait(for: "big", count: 9)
            // There is still room: nobody is disconnected.
            await server.server.advance(by: .zero)
            await server.server.advance(by: .zero)
            #expect(server.server.connectionCount == 9)
            #expect(memory.withAccounts { $0[.bytes, 7] } > memory.limit / 4)
            memory.update(.sessions, of: 0, 30_000_000)
            await server.server.advance(by: .zero)
            #expect(server.server.connectionCount < 9)
            #expect(memory.withAccounts { $0[.bytes, 8] } > 0)
            #expect(try other.receiveAll().count > 10_000_000)
            withExtendedLifetime(greedy) {}
        }
    }

    @Test func `what others leave unread goes as well where that is not enough`() async throws {
        let memory = MemoryBudget(limit: 1_000_000, loopCount: 1)
        try await TestServer.run(memory: memory) { server in
            let slow = try server.connect()
            try slow.send(Request.get("/big/20000000"))
            await server.journal.wait(for: "big")
            memory.withAccounts { $0.add(300_000, .bytes, of: 7) }
            memory.update(.sessions, of: 0, 1_300_000)
            await server.server.advance(by: .zero)
            try await server.awaitConnections { $0 == 0 }
            withExtendedLifetime(slow) {}
        }
    }

    @Test func `the requests that wait for their answers are on their clients' accounts`()
        async throws
    {
        let memory = MemoryBudget(
            limit: MemoryBudget(limit: 0, loopCount: 1).used + 4_000_000, loopCount: 1)
        let journal = Journal()
        try await TestServer.run(
            memory: memory, journal: journal, handler: { _ in ProbeHandler(journal, client: 7) }
        ) { server in
            let held = head(300_000).replacing("/echo", with: "/hold")
            let waiting = try server.connect()
            try waiting.send(held + String(repeating: "a", count: 300_000))
            await journal.wait(for: "held")
            await server.server.advance(by: .zero)
            #expect(memory.withAccounts { $0[.bytes, 7] } >= 300_000)
            _ = try server.exchange(Request.get("/release", close: true))
            #expect(try waiting.receive(to: "released").hasPrefix("HTTP/1.1 200"))
            await server.server.advance(by: .zero)
            #expect(memory.withAccounts { $0[.bytes, 7] } < 16_384)

            try waiting.send(held + String(repeating: "a", count: 300_000))
            await journal.wait(for: "held", count: 2)
            memory.withAccounts { $0.add(1_000_000, .bytes, of: 7) }
            memory.update(.sessions, of: 0, 3_700_000)
            await server.server.advance(by: .zero)
            #expect(try waiting.receiveAll().isEmpty)
        }
    }

    @Test func `the unfinished bodies of such a client are refused`() async throws {
        let memory = MemoryBudget(limit: 1_000_000, loopCount: 1)
        let journal = Journal()
        try await TestServer.run(
            memory: memory, journal: journal, handler: { _ in ProbeHandler(journal, client: 7) }
        ) { server in
            let client = try server.connect()
            try client.send(head(300 * 1024) + String(repeating: "a", count: 30 * 1024))
            await server.awaitArrivals()
            memory.withAccounts { $0.add(300_000, .bytes, of: 7) }
            memory.update(.sessions, of: 0, 920_000)
            await server.server.advance(by: .zero)
            #expect(try statuses(text(client.receiveAll())) == ["503"])
        }
    }
}
