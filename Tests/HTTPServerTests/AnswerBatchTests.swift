@testable import HTTPServer
import HTTPMessages
import Sockets
import Synchronization
import Testing

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

    func destination(of head: RequestHead, in bytes: Span<UInt8>) -> LoopDestination? { nil }

    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        probe.gate.withLock { _ in }
        let size = head.path.isEqual(to: "/large", in: bytes) ? 8192 : 3
        exchange.respond(status: 200, on: loop) { $0.body(Array(repeating: 0x61, count: size)) }
        probe.answered()
    }
}

@Suite struct AnswerBatchTests {
    /// Sends a request on each of a hundred connections, which come together, and receives all.
    private func exchange(
        _ path: String, failing: Int? = nil
    ) async throws -> (greatest: Int, answers: [String]) {
        let probe = BatchProbe()
        let plan = FaultPlan { call, number in
            guard call == .send else { return nil }
            probe.sent()
            return number == failing ? .failure(.brokenPipe) : nil
        }
        let answers = Mutex<[String]>([])
        try await TestServer.run(faults: plan, handler: { _ in BatchHandler(probe) }) { server in
            let clients = try (0..<100).map { _ in try server.connect() }
            try probe.gate.withLock { _ in
                for client in clients { try client.send(Request.get(path, close: false)) }
            }
            for client in clients {
                let answer = try? client.receive { text($0).hasSuffix("aaa") }
                answers.withLock { $0.append(answer.map(text) ?? "") }
            }
        }
        return (probe.greatestUnsent, answers.withLock { $0 })
    }

    @Test func `answers of a turn are sent in a row, thirty-two at most`() async throws {
        let (greatest, answers) = try await exchange("/")
        #expect(greatest == 32)
        #expect(answers.allSatisfy { statuses($0) == ["200"] })
    }

    @Test func `a large answer is sent at once`() async throws {
        let (greatest, answers) = try await exchange("/large")
        #expect(greatest == 1)
        #expect(answers.allSatisfy { statuses($0) == ["200"] })
    }

    @Test func `a connection that fails takes none of its batch along`() async throws {
        let (_, answers) = try await exchange("/", failing: 50)
        #expect(answers.count { statuses($0) == ["200"] } == 99)
    }
}
