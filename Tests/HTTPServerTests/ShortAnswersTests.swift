@testable import HTTPServer
import FaultPlans
import HTTPMessages
@testable import Sockets
import Synchronization
import Testing

/// Whether this kernel has io_uring, and lets us use it.
private let hasRing = (try? TransferRing(SystemCalls())) != nil

/// Waits with its first request until the test has sent all of them, and counts how many answers
/// are made and not sent.
private final class BatchProbe: Sendable {
    let gate = Mutex(())
    private let counts = Mutex((unsent: 0, greatest: 0))

    func answered() {
        counts.withLock {
            $0.unsent += 1
            $0.greatest = max($0.greatest, $0.unsent)
        }
    }

    func sent() { counts.withLock { $0.unsent -= 1 } }

    var greatestUnsent: Int { counts.withLock { $0.greatest } }
}

private final class BatchHandler: RequestHandler {
    private let probe: BatchProbe

    init(_ probe: BatchProbe) { self.probe = probe }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        probe.gate.withLock { _ in }
        let size = request.head.path.isEqual(to: "/large", in: bytes) ? 8192 : 3
        request.exchange.respond(status: 200, on: loop) {
            $0.body(Array(repeating: 0x61, count: size))
        }
        probe.answered()
    }
}

@Suite struct ShortAnswersTests {
    /// Sends a request on each of a hundred connections, which come together, and receives all.
    private func exchange(
        _ path: String, leastBatchCount: Int?, with fault: Fault? = nil
    ) async throws -> (greatest: Int, together: Int, answers: [String]) {
        let probe = BatchProbe()
        let plan = FaultPlan { call, number in
            guard call == .send else { return nil }
            probe.sent()
            return number == 50 ? fault : nil
        }
        let answers = Mutex<[String]>([])
        try await TestServer.run(
            faults: plan, leastBatchCount: leastBatchCount, handler: { _ in BatchHandler(probe) }
        ) { server in
            let clients = try (0..<100).map { _ in try server.connect() }
            try probe.gate.withLock { _ in
                for client in clients { try client.send(Request.get(path, close: false)) }
            }
            for client in clients {
                let answer = try? client.receive { text($0).hasSuffix("aaa") }
                answers.withLock { $0.append(answer.map(text) ?? "") }
            }
        }
        return (
            probe.greatestUnsent, plan.count(of: .sendTogether), answers.withLock { $0 }
        )
    }

    @Test(arguments: [nil, 8])
    func `answers of a turn are sent in a row, thirty-two at most`(
        leastBatchCount: Int?
    ) async throws {
        let (greatest, together, answers) = try await exchange(
            "/", leastBatchCount: leastBatchCount)
        #expect(greatest == 32)
        #expect(together == 0 || leastBatchCount != nil)
        #expect(answers.allSatisfy { statuses($0) == ["200"] })
    }

    @Test(.enabled(if: hasRing))
    func `answers of a turn are sent by one call where they are many`() async throws {
        let (_, together, answers) = try await exchange("/", leastBatchCount: 8)
        #expect((3...13).contains(together))
        #expect(answers.allSatisfy { statuses($0) == ["200"] })
    }

    @Test(arguments: [nil, 1])
    func `a large answer is sent at once`(leastBatchCount: Int?) async throws {
        let (greatest, _, answers) = try await exchange(
            "/large", leastBatchCount: leastBatchCount)
        #expect(greatest == 1)
        #expect(answers.allSatisfy { statuses($0) == ["200"] })
    }

    @Test(arguments: [nil, 1])
    func `a connection that fails takes none of its batch along`(
        leastBatchCount: Int?
    ) async throws {
        let (_, _, answers) = try await exchange(
            "/", leastBatchCount: leastBatchCount, with: .failure(.brokenPipe))
        #expect(answers.count { statuses($0) == ["200"] } == 99)
    }

    @Test(arguments: [nil, 1], [Fault.short(7), .failure(.wouldBlock), .failure(.interrupted)])
    func `what the socket did not take of an answer follows`(
        leastBatchCount: Int?, fault: Fault
    ) async throws {
        let (_, _, answers) = try await exchange(
            "/", leastBatchCount: leastBatchCount, with: fault)
        #expect(answers.allSatisfy { statuses($0) == ["200"] && $0.hasSuffix("\r\n\r\naaa") })
    }
}
