import FaultPlans
import HTTPMessages
@testable import HTTPServer
import Sockets
import Testing

@Suite struct BatchedReadTests {
    /// The answer of a connection waits for those of others when more bytes come: it goes before the
    /// next one, which shows that the client is gone.
    @Test func `a connection that ends while it is read again is closed, and no other`()
        async throws
    {
        let plan = FaultPlan { call, number in
            call == .send && number == 1 ? .failure(.connectionReset) : nil
        }
        let peer = Peer()
        try await TestServer.run(faults: plan, handler: { ReadingAgain(peer, on: $0) }) { server in
            let client = try server.connect()
            peer.connection.withLock { $0 = client }
            try client.send(Request.get("/first"))
            #expect((try? client.receiveAll())?.isEmpty ?? true)
            #expect(try server.isAlive())
            #expect(plan.hitCount == 1)
        }
    }
}

/// The client, which the handler has send again.
private final class Peer: Sendable {
    let connection = Lock<BlockingConnection?>(nil)
}

/// Reads the first connection again before the end of the turn, as another event of it would.
private final class ReadingAgain: RequestHandler, TurnEndHandler {
    private let peer: Peer
    private var first: Connection?

    /// Comes before the server's own part at the end of a turn.
    init(_ peer: Peer, on loop: isolated EventLoop) {
        self.peer = peer
        loop.onTurnEnd(self)
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let path = request.head.path.array(in: bytes)
        request.exchange.respond(status: 200, on: loop) { $0.body(Array("GET ".utf8) + path) }
        guard text(path) == "/first", case .local(let connection) = request.exchange.route else {
            return
        }
        first = connection
    }

    func turnEnded(on loop: isolated EventLoop) {
        guard let connection = first.take() else { return }
        try? peer.connection.withLock { $0 }?.send(Request.get("/second"))
        connection.ready(.read, on: loop)
    }
}
