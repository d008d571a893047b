@testable import HTTPServer
import FaultPlans
import Sockets
import Testing

@Suite struct StreamTests {
    /// Without batches, and all in batches.
    private static let batching: [Int?] = [nil, 1]

    private func open(_ server: TestServer, _ path: String = "/stream") throws -> BlockingConnection
    {
        let client = try server.connect()
        try client.send(Request.get(path))
        let head = try client.receive(upTo: "hello on")
        #expect(head.contains("\r\nConnection: close\r\n"))
        #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!head.contains("Content-Length"))
        return client
    }

    @Test func `head and first bytes go out in one write`() async throws {
        let plan = FaultPlan { _, _ in nil }
        try await TestServer.run(faults: plan) { server in
            _ = try open(server)
            #expect(plan.count(of: .send) + plan.count(of: .sendGathered) == 1)
        }
    }

    @Test(arguments: batching)
    func `a frame reaches every stream, and a turn's frames go out together`(
        leastBatchCount: Int?
    ) async throws {
        let plan = FaultPlan { _, _ in nil }
        try await TestServer.run(
            limits: .longTurns, faults: plan, leastBatchCount: leastBatchCount
        ) { server in
            let clients = [try open(server), try open(server)]
            let before = plan.count(of: .send) + plan.count(of: .sendGathered)
            let feeder = try server.connect()
            try feeder.send(Request.post("/send", "one;") + Request.post("/send", "two;"))
            for client in clients { #expect(try client.receivePayload(to: "two;") == "one;two;") }
            let writes = plan.count(of: .send) + plan.count(of: .sendGathered) - before
            #expect(writes == 3)
        }
    }

    @Test(arguments: batching)
    func `a finished stream ends after what was sent`(
        leastBatchCount: Int?
    ) async throws {
        try await TestServer.run(leastBatchCount: leastBatchCount) { server in
            let client = try open(server)
            _ = try server.exchange(
                Request.post("/send", "last") + Request.post("/finish", "", close: true))
            #expect(try payload(client.receiveAll()) == "last")
            await server.journal.wait(for: "closed")
            #expect(server.journal.all.count { $0 == "closed" } == 1)
        }
    }

    @Test func `a stream that is finished at once has its head and all that was sent`() async throws
    {
        try await TestServer.run { server in
            let answer = try server.exchange(Request.get("/brief"))
            #expect(statuses(answer) == ["200"])
            #expect(answer.hasSuffix("\r\n\r\n000b\r\nhello on 0\n\r\n0\r\n\r\n"))
        }
    }

    @Test func `each frame is a chunk, and the last one has no bytes`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.get("/stream"))
            _ = try client.receive(to: "\r\n\r\n000b\r\nhello on 0\n\r\n")
            _ = try server.exchange(
                Request.post("/send", "one;") + Request.post("/finish", "", close: true))
            #expect(try text(client.receiveAll()) == "0004\r\none;\r\n0\r\n\r\n")
        }
    }

    @Test(arguments: batching)
    func `HTTP/1.0 knows no chunks and gets the frames alone`(
        leastBatchCount: Int?
    ) async throws {
        try await TestServer.run(leastBatchCount: leastBatchCount) { server in
            let client = try server.connect()
            try client.send("GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
            let head = try client.receive(to: "\r\n\r\nhello on 0\n")
            #expect(!head.contains("Transfer-Encoding"))
            _ = try server.exchange(
                Request.post("/send", "one;") + Request.post("/finish", "", close: true))
            #expect(try text(client.receiveAll()) == "one;")
        }
    }

    @Test(arguments: batching)
    func `a source is told once when its client goes`(
        leastBatchCount: Int?
    ) async throws {
        try await TestServer.run(leastBatchCount: leastBatchCount) { server in
            do { _ = try open(server) }
            await server.journal.wait(for: "closed")
            _ = try server.exchange(Request.post("/send", "nobody", close: true))
            #expect(server.journal.all.count { $0 == "closed" } == 1)
        }
    }

    @Test func `a stream of age says so and ends`() async throws {
        try await TestServer.run { server in
            let client = try open(server)
            await server.server.advance(by: .seconds(470))
            #expect(server.server.connectionCount == 1)
            await server.server.advance(by: .seconds(260))
            #expect(try payload(client.receiveAll()) == "end: age\n")
        }
    }

    @Test(arguments: batching)
    func `a slow reader is told of, catches up, and delays nobody`(
        leastBatchCount: Int?
    ) async throws {
        try await TestServer.run(leastBatchCount: leastBatchCount) { server in
            let slow = try open(server)
            let quick = try open(server)
            let frame = String(repeating: "x", count: 500_000)
            var sent = 0
            var isBlocked = false
            while !isBlocked {
                let answer = try server.exchange(Request.post("/send", frame, close: true))
                isBlocked = answer.hasSuffix("true")
                sent += frame.count
                var received = 0
                while received < frame.count { received += try quick.receive().count }
            }
            var received = 0
            while received < sent { received += try slow.receive().count }
            await server.journal.wait(for: "drained")
        }
    }

    @Test(arguments: batching)
    func `a source that asks for room is told once, however its frames were sent`(
        leastBatchCount: Int?
    ) async throws {
        try await TestServer.run(leastBatchCount: leastBatchCount) { server in
            let clients = try (0..<4).map { _ in try open(server) }
            for round in 1...3 {
                let frame = String(repeating: "x", count: 70_000) + ";\(round)"
                _ = try server.exchange(Request.post("/send?notify", frame, close: true))
                for client in clients { _ = try client.receivePayload(to: ";\(round)") }
                await server.awaitArrivals()
                #expect(server.journal.all.count { $0 == "drained" } == 4 * round)
            }
        }
    }

    @Test(arguments: batching)
    func `a stream whose client takes nothing is closed`(
        leastBatchCount: Int?
    ) async throws {
        try await TestServer.run(leastBatchCount: leastBatchCount) { server in
            let slow = try open(server)
            try slow.limitReceiveBuffer(to: 4096)
            let frame = String(repeating: "x", count: 1_000_000)
            try server.sendUntilBlocked(frame)
            await server.server.advance(by: .seconds(21))
            await server.journal.wait(for: "closed")
        }
    }

    @Test func `the kernel gives up a client that acknowledges nothing`() async throws {
        var limits = HTTPLimits()
        limits.unacknowledgedDuration = .milliseconds(300)
        limits.writeProgressDuration = .seconds(100_000)
        try await TestServer.run(limits: limits) { server in
            let slow = try open(server)
            try slow.limitReceiveBuffer(to: 4096)
            let frame = String(repeating: "x", count: 1_000_000)
            try server.sendUntilBlocked(frame)
            await server.journal.wait(for: "closed")
            withExtendedLifetime(slow) {}
        }
    }

    @Test func `a stream asked for by HEAD is a head only`() async throws {
        try await TestServer.run { server in
            let request = Request.make("HEAD", "/stream", []) + Request.get("/x", close: true)
            let answer = try server.exchange(request)
            #expect(statuses(answer) == ["200", "200"])
            #expect(!answer.contains("hello"))
            await server.journal.wait(for: "closed")
        }
    }
}
