import FaultPlans
import Sockets
import Testing

@Suite struct FaultPlanTests {
    /// Faults that a connection must survive without losing a byte.
    static let harmless: [(SystemCall, Fault)] = [
        (.receive, .failure(.interrupted)), (.receive, .failure(.wouldBlock)),
        (.receive, .short(1)),
        (.send, .failure(.interrupted)), (.send, .failure(.wouldBlock)), (.send, .short(1)),
        (.send, .short(700)), (.sendGathered, .failure(.interrupted)), (.sendGathered, .short(3)),
        (.epollWait, .failure(.interrupted)), (.epollControl, .failure(.interrupted)),
        (.accept, .failure(.interrupted)), (.accept, .failure(.connectionAborted)),
        (.accept, .failure(.tooManyFiles)), (.accept, .failure(.wouldBlock)),
    ]

    /// Faults that end a connection, and must end nothing else.
    static let fatal: [(SystemCall, Fault)] = [
        (.receive, .failure(.connectionReset)), (.receive, .failure(.timedOut)),
        (.send, .failure(.brokenPipe)), (.send, .failure(.connectionReset)),
        (.epollControl, .failure(.outOfMemory)),
    ]

    @Test(arguments: harmless)
    func `no byte is lost to a harmless fault at the n-th call, until none fails`(
        call: SystemCall, fault: Fault
    ) async throws {
        try await replay(call, fault, isFatal: false)
    }

    @Test(arguments: fatal)
    func `a fatal fault at the n-th call ends that connection and no other`(
        call: SystemCall, fault: Fault
    ) async throws {
        try await replay(call, fault, isFatal: true)
    }

    private func replay(_ call: SystemCall, _ fault: Fault, isFatal: Bool) async throws {
        let limit = 60
        // The first registration is the listener's: without it there is no server.
        let first = call == .epollControl ? 2 : 1
        for number in first...limit {
            let plan = FaultPlan(fault, at: number, of: call)
            let server = try await EchoServer(faults: plan)
            let lost = try (0..<3).count { _ in try !scenario(server) }
            #expect(lost <= (isFatal ? 1 : 0), "\(call) \(fault) at \(number)")
            await server.stop()
            guard plan.hitCount > 0 else { return }
            #expect(plan.count(of: call) >= number)
        }
        Issue.record("\(call) was still being called after \(limit) runs")
    }

    /// Three messages, one of them large; whether all came back, then the end.
    private func scenario(_ server: EchoServer) throws -> Bool {
        let client = try server.connect()
        for size in [3, 3000, 40_000] {
            let sent = [UInt8](repeating: 65, count: size)
            do {
                try client.send(sent)
                guard try client.receive(until: { $0.count >= size }) == sent else { return false }
            } catch {
                guard [.connectionReset, .brokenPipe].contains(error.code) else { throw error }
                return false
            }
        }
        return true
    }

    @Test func `a plan counts calls of each kind apart and tells its hits`() {
        let plan = FaultPlan { call, number in
            call == .send && number.isMultiple(of: 2) ? .short(1) : nil
        }
        #expect(
            [plan.next(.send), plan.next(.receive), plan.next(.send)] == [nil, nil, .short(1)])
        #expect(plan.hitCount == 1)
        #expect(plan.count(of: .send) == 2)
    }
}
