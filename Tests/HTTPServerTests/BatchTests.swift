@testable import HTTPServer
import FaultPlans
import Sockets
import Testing

@Suite struct BatchTests {
    /// Opens streams, sends one frame to them all, and answers whether each got it.
    private func serve(
        _ count: Int, leastBatchCount: Int?, limits: HTTPLimits = HTTPLimits(),
        faults plan: FaultPlan
    ) async throws -> [Bool] {
        let served = Lock<[Bool]>([])
        try await TestServer.run(
            limits: limits, faults: plan, leastBatchCount: leastBatchCount
        ) { server in
            let clients = try (0..<count).map { _ in
                let client = try server.connect()
                try client.send(Request.get("/stream"))
                _ = try client.receive(upTo: "hello on")
                return client
            }
            _ = try server.exchange(Request.post("/send", "frame", close: true))
            for client in clients {
                let isServed = (try? client.receivePayload(to: "frame")) == "frame"
                served.withLock { $0.append(isServed) }
            }
        }
        return served.withLock { $0 }
    }

    @Test(arguments: [(2, 3, 0), (3, 3, 1), (4, 3, 1), (4, nil, 0)] as [(Int, Int?, Int)])
    func `a batch is sent from the least count on`(
        streams: Int, leastBatchCount: Int?, batches: Int
    ) async throws {
        let plan = FaultPlan { _, _ in nil }
        let served = try await serve(streams, leastBatchCount: leastBatchCount, faults: plan)
        #expect(served == Array(repeating: true, count: streams))
        #expect(plan.count(of: .makeRing) == batches)
        // None where this kernel has no ring.
        #expect([0, batches].contains(plan.count(of: .sendTogether)))
    }

    @Test func `more streams than a batch holds are sent to by several`() async throws {
        let plan = FaultPlan { _, _ in nil }
        let count = SendBatch.capacity + 3
        let served = try await serve(count, leastBatchCount: 2, faults: plan)
        #expect(served == Array(repeating: true, count: count))
        #expect([0, 2].contains(plan.count(of: .sendTogether)))
    }

    @Test func `what a turn has no time for is sent in the next ones`() async throws {
        let calls = Lock<[SystemCall]>([])
        let plan = FaultPlan { call, _ in
            calls.withLock { $0.append(call) }
            return nil
        }
        var limits = HTTPLimits()
        limits.turnDuration = .zero
        let count = SendBatch.capacity + 3
        let served = try await serve(count, leastBatchCount: nil, limits: limits, faults: plan)
        #expect(served == Array(repeating: true, count: count))
        let turns = calls.withLock { $0.split(separator: .epollWait) }
        let sends = turns.map { turn in turn.count { [.send, .sendGathered].contains($0) } }
        // The answer to the one who has sent it is another.
        #expect((SendBatch.capacity...SendBatch.capacity + 1).contains(sends.max() ?? 0))
    }

    @Test(arguments: [Fault.failure(.notPermitted), .failure(.notSupportedByKernel)])
    func `where the kernel refuses, each stream is sent to as ever`(fault: Fault) async throws {
        let plan = FaultPlan { call, _ in call == .makeRing ? fault : nil }
        let served = try await serve(3, leastBatchCount: 1, faults: plan)
        #expect(served == [true, true, true])
        #expect(plan.count(of: .makeRing) == 1)
        #expect(plan.count(of: .sendTogether) == 0)
    }

    /// The answers to the three requests for streams are the first sends, the frames the last.
    @Test(arguments: [Errno.connectionReset, .brokenPipe])
    func `a connection lost in a batch is closed, and no other`(code: Errno) async throws {
        let plan = FaultPlan { call, number in
            call == .send && number == 5 ? .failure(code) : nil
        }
        let served = try await serve(3, leastBatchCount: 3, faults: plan)
        #expect(served.count { $0 } == 2)
    }

    @Test(arguments: [Fault.short(2), .failure(.wouldBlock)])
    func `what a batch does not send follows at once`(fault: Fault) async throws {
        let plan = FaultPlan { call, number in call == .send && number == 5 ? fault : nil }
        let served = try await serve(3, leastBatchCount: 3, faults: plan)
        #expect(served == [true, true, true])
        #expect(plan.hitCount == 1)
    }
}
