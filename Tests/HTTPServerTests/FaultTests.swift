@testable import HTTPServer
@testable import Sockets
import FaultPlans
import Testing

/// Whether this kernel has io_uring, and lets us use it.
private let hasRing = (try? TransferRing(SystemCalls())) != nil

@Suite struct FaultTests {
    private static let faults: [(SystemCall, Fault)] = [
        (.receive, .failure(.interrupted)), (.receive, .failure(.wouldBlock)),
        (.receive, .failure(.connectionReset)), (.receive, .short(1)), (.receive, .short(7)),
        (.send, .failure(.interrupted)), (.send, .failure(.wouldBlock)), (.send, .short(1)),
        (.send, .failure(.brokenPipe)), (.send, .failure(.connectionReset)),
        (.sendGathered, .failure(.interrupted)), (.sendGathered, .failure(.wouldBlock)),
        (.sendGathered, .failure(.connectionReset)), (.sendGathered, .short(1)),
        (.accept, .failure(.interrupted)), (.accept, .failure(.connectionAborted)),
        (.accept, .failure(.tooManyFiles)), (.accept, .failure(.wouldBlock)),
        (.shutdown, .failure(.timedOut)),
    ]

    /// Faults of sending to many, and receiving from many, at once.
    private static let batchFaults: [(SystemCall, Fault)] = [
        (.makeRing, .failure(.notPermitted)), (.makeRing, .failure(.outOfMemory)),
        (.sendTogether, .failure(.interrupted)), (.sendTogether, .failure(.wouldBlock)),
        (.sendTogether, .failure(.invalidArgument)),
        (.receiveTogether, .failure(.interrupted)), (.receiveTogether, .failure(.wouldBlock)),
        (.receiveTogether, .failure(.invalidArgument)),
    ]

    @Test(arguments: faults)
    func `a fault at any call ends at most its connection`(
        call: SystemCall, fault: Fault
    ) async throws {
        try await replay(call, fault, leastBatchCount: nil)
    }

    @Test(arguments: faults + batchFaults)
    func `the same holds where all that can be is sent and received in batches`(
        call: SystemCall, fault: Fault
    ) async throws {
        try await replay(call, fault, leastBatchCount: 1)
    }

    private func replay(
        _ call: SystemCall, _ fault: Fault, leastBatchCount: Int?
    ) async throws {
        var limits = HTTPLimits()
        limits.acceptPauseDuration = .milliseconds(1)
        var isHit = true
        var number = 0
        while isHit, number < 40 {
            number += 1
            let place = number
            let plan = FaultPlan(fault, at: number, of: call)
            try await TestServer.run(
                limits: limits, faults: plan, leastBatchCount: leastBatchCount
            ) { server in
                try? visit(server)
                let isServed = try isServed(server)
                #expect(isServed, "after \(fault) at call \(place) of \(call)")
            }
            isHit = plan.hitCount > 0
        }
        #expect(!isHit, "the scenario makes fewer calls than that")
        let isOfRing = [.sendTogether, .receiveTogether].contains(call)
        #expect(number > 1 || isOfRing && !hasRing, "the scenario makes such a call")
    }

    /// Two tries: the fault may strike the first.
    private func isServed(_ server: TestServer) throws -> Bool {
        if let isAlive = try? server.isAlive(), isAlive { return true }
        return try server.isAlive()
    }

    private func visit(_ server: TestServer) throws {
        let stream = try server.connect()
        try stream.send(Request.get("/stream"))
        _ = try stream.receive(upTo: "hello")
        let client = try server.connect()
        try client.send(Request.post("/echo", "first"))
        _ = try client.receive(upTo: "first")
        try client.send(Request.post("/echo", "a") + Request.post("/send", "b"))
        try client.send(Request.post("/send", "c") + Request.post("/send", "d"))
        try client.send("bad\r\n\r\n")
        guard statuses(text(try client.receiveAll())).count == 5 else { return }
        _ = try stream.receive(upTo: "d")
    }
}
