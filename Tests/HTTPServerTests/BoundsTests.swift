@testable import HTTPServer
import FaultPlans
import Sockets
import Testing

@Suite struct BoundsTests {
    @Test func `connections above a client's limit are closed at once`() async throws {
        var limits = HTTPLimits()
        limits.connectionsPerAddress = 2
        let journal = Journal()
        try await TestServer.run(
            limits: limits, journal: journal, handler: { _ in ProbeHandler(journal, client: 7) }
        ) { server in
            let first = try server.connect()
            let second = try server.connect()
            for client in [0, 1] {
                try (client == 0 ? first.send("") : second.send(""))
            }
            try await server.awaitConnections { $0 >= 2 }
            let third = try server.connect()
            #expect(try third.receiveAll().isEmpty)
            try first.send(Request.get("/a"))
            #expect(try first.receive(to: "GET /a").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `a client that has all its connections keeps nobody out, and leaves room`() {
        var limits = HTTPLimits()
        (limits.connectionCount, limits.connectionsPerAddress) = (5, 2)
        let shared = ServerShared(
            WebServerConfiguration(limits: limits), mailboxes: [],
            memory: MemoryBudget(limits, loopCount: 1))
        // 0 is nobody's: a proxy, or another server.
        let entered = [1, 1, 1, 2, 0, 0].map { shared.enter($0) }
        #expect(entered == [true, true, false, true, true, true])
        #expect(!shared.hasRoom(false) && shared.connectionCount == 5)
        let makeRoom = [1, 0].map { shared.leave($0) }
        #expect(makeRoom == [true, false] && shared.hasRoom(false))
        let again = [1, 1].map { shared.enter($0) }
        #expect(again == [true, false])
    }

    @Test func `above the limit of connections those who come wait, and are not dropped`()
        async throws
    {
        var limits = HTTPLimits()
        limits.connectionCount = 1
        try await TestServer.run(loops: 2, limits: limits) { server in
            let waiting: BlockingConnection
            do {
                let first = try server.connect()
                try first.send(Request.get("/a"))
                _ = try first.receive(to: "GET /a")
                waiting = try server.connect()
                try waiting.send(Request.get("/b"))
                try first.send(Request.get("/c"))
                _ = try first.receive(to: "GET /c")
                #expect(server.server.connectionCount == 1)
            }
            #expect(try waiting.receive(to: "GET /b").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test(arguments: [Errno.tooManyFiles, .tooManyFilesInSystem, .outOfMemory, .noBufferSpace])
    func `accepting goes on after a lack of descriptors or memory`(code: Errno) async throws {
        var limits = HTTPLimits()
        limits.acceptPauseDuration = .milliseconds(1)
        let plan = FaultPlan { call, number in
            call == .accept && number <= 3 ? .failure(code) : nil
        }
        try await TestServer.run(limits: limits, faults: plan) { server in
            let isAlive = try server.isAlive()
            #expect(isAlive)
            #expect(plan.hitCount == 3)
        }
    }

    @Test func `connections are accepted a few a turn, and all of them`() async throws {
        var limits = HTTPLimits()
        limits.acceptsPerTurn = 1
        try await TestServer.run(limits: limits) { server in
            let clients = try (0..<20).map { _ in try server.connect() }
            for client in clients { try client.send(Request.get("/a")) }
            for client in clients { #expect(try client.receive(to: "GET /a").contains("200")) }
        }
    }

    @Test func `small requests do not pile up large answers`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(String(repeating: Request.get("/big/1000000"), count: 60))
            for _ in 0..<3 { #expect(try server.isAlive()) }
            #expect(server.journal.all.count { $0 == "big" } < 20)
            var count = 0
            while count < 60 * 1_000_000 { count += try client.receive().count }
            #expect(server.journal.all.count { $0 == "big" } == 60)
        }
    }

    @Test(arguments: ["/stream", "/stream?gzip"])
    func `a stream whose source knows no bound is closed at the server's`(
        path: String
    ) async throws {
        var limits = HTTPLimits()
        limits.streamByteCount = 900_000
        try await TestServer.run(limits: limits) { server in
            let slow = try server.connect()
            try slow.send(Request.get(path))
            _ = try slow.receive(upTo: "\r\n\r\n")
            let frame = String(repeating: "x", count: 1_000_000)
            _ = try server.exchange(Request.post("/send", frame, close: true))
            await server.journal.wait(for: "closed")
            #expect(try server.isAlive())
        }
    }

    @Test func `what is pipelined behind a held request is bounded`() async throws {
        var limits = HTTPLimits()
        limits.pipelinedByteCount = 10_000
        let plan = FaultPlan { _, _ in nil }
        try await TestServer.run(limits: limits, faults: plan) { server in
            let client = try server.connect()
            try client.send(Request.get("/hold"))
            await server.journal.wait(for: "held")
            let before = plan.count(of: .receive)
            let many = String(repeating: Request.get("/p"), count: 20_000)
            async let sent: Void = client.send(many + Request.get("/end", close: true))
            for _ in 0..<20 { await server.awaitArrivals() }
            // One read of 64 KiB is beyond the bound; the rest waits in the kernel.
            #expect(plan.count(of: .receive) - before <= 2)
            _ = try server.exchange(Request.get("/release", close: true))
            let answer = text(try client.receiveAll())
            try await sent
            #expect(statuses(answer).count == 20_002)
            #expect(answer.hasSuffix("GET /end"))
        }
    }

    @Test(arguments: [1, 64])
    func `what is pipelined behind requests that are answered at once is bounded`(
        requestCount: Int
    ) async throws {
        var limits = HTTPLimits()
        limits.pipelinedRequestCount = requestCount
        let memory = MemoryBudget(limit: 1 << 40, loopCount: 1)
        try await TestServer.run(limits: limits, memory: memory) { server in
            let client = try server.connect()
            let count = 10_000
            let many = String(repeating: Request.get("/p"), count: count)
            let before = memory.used
            async let sent: Void = client.send(many + Request.get("/end", close: true))
            async let received = client.receiveAll()
            try await server.awaitConnections { $0 > 0 }
            var most = 0
            while server.server.connectionCount > 0 {
                most = max(most, memory.used - before)
                await Task.yield()
            }
            try await sent
            #expect(try await statuses(text(received)).count == count + 1)
            #expect(most > 0)
            #expect(most < 200_000)
        }
    }
}
