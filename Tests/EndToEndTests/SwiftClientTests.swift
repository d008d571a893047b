import ClientWire
import CounterModel
import Redux
import StatecastClient
import StatecastClientCurl
import Synchronization
import Testing

/// All that a server says comes 300 ms later.
private final class SlowTransport: Transport {
    private let transport: CurlTransport
    let postCount = Mutex(0)

    init() throws { transport = try CurlTransport() }

    func send(_ request: ClientRequest) async throws -> TransportAnswer {
        if request.method == "POST" { postCount.withLock { $0 += 1 } }
        var answer = try await transport.send(request)
        let body = answer.body
        let (slow, pieces) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let relay = Task {
            do {
                for try await piece in body {
                    try await ContinuousClock().sleep(for: .milliseconds(300))
                    pieces.yield(piece)
                }
                pieces.finish()
            } catch {
                pieces.finish(throwing: error)
            }
        }
        pieces.onTermination = { _ in relay.cancel() }
        answer.body = slow
        return answer
    }
}

@MainActor @Suite struct `The Swift client` {
    @Test func `shows what is typed at once over a slow line, and takes back what is refused`()
        async throws
    {
        let server = try StatecastServer()
        let session = "/counter/sessions/slow"
        let slow = try SlowTransport()
        let here = try await server.mirror(Counting.self, of: session, over: slow)
        let there = try await server.mirror(Counting.self, of: session)
        try await here.first { $0.count == 0 }
        var sent: [Sent] = []
        for count in 1...20 {
            sent.append(here.send(.incremented(by: 1)))
            #expect(here.state?.count == count)
        }
        for sent in sent { try await sent.confirmed() }
        // The first, and all that waited meanwhile.
        #expect(slow.postCount.withLock { $0 } == 2)

        // Somebody else leaves no room, which is not seen here yet.
        let states = here.states
        let shown = Task {
            var counts: [Int] = []
            for await state in states { counts.append(state.count) }
            return counts
        }
        try await there.send(.incremented(by: .max - 22)).confirmed()
        let refused = here.send(.incremented(by: 5))
        let kept = here.send(.incremented(by: 2))
        #expect(here.state?.count == 27)
        let problem = await #expect(throws: MirrorProblem.self) { try await refused.confirmed() }
        #expect(problem?.code == "out-of-range" && problem?.pointers == ["/payload/by"])
        try await kept.confirmed()
        #expect(here.state?.count == .max && here.pendingCount == 0)
        try await there.first { $0.count == .max }
        here.stop()
        let counts = await shown.value
        #expect(counts == [20, 25, 27, .max])
        there.stop()
    }
}
