import HTTPMessages
@testable import HTTPServer
import Sockets
import Testing

/// A loop that has had as many connections as 32 bits can count.
@Suite struct ConnectionIdentityTests {
    @Test func `each stream gets its own frames, however many connections came before`()
        async throws
    {
        let journal = Journal()
        try await TestServer.run(journal: journal, handler: { _ in AgedHandler(journal) }) {
            server in
            _ = try server.exchange(Request.get("/age", close: true))
            let streams = try (0..<4).map { _ in
                let client = try server.connect()
                try client.send(Request.get("/stream"))
                _ = try client.receive(to: "\r\n\r\n")
                return client
            }
            let other = try server.connect()
            try other.send(Request.get("/tick"))
            _ = try other.receive(to: "/tick")
            await journal.wait(for: "sent")
            try other.send(Request.get("/next"))
            #expect(try other.receive(to: "/next").hasPrefix("HTTP/1.1 200 OK"))
            for stream in streams { #expect(try stream.receivePayload(to: "frame") == "frame") }
        }
    }

    @Test func `a name is small, and no connection's is none`() {
        #expect(MemoryLayout<ConnectionKey>.stride <= 16)
        #expect(MemoryLayout<ForwardKey>.stride <= 32)
        #expect(ConnectionKey.none.identity == 0)
    }
}

/// `/age` lets nearly as many connections pass by as 32 bits can count; `/tick` has a timer send a
/// frame to all streams.
private final class AgedHandler: RequestHandler, TimerHandler {
    private let journal: Journal
    private var sources: [ProbeSource] = []

    init(_ journal: Journal) {
        self.journal = journal
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let path = request.head.path.array(in: bytes)
        switch text(path) {
        case "/stream":
            let source = ProbeSource(journal)
            sources.append(source)
            source.stream = request.exchange.startStream(source: source, on: loop) { _ in }
            return
        case "/tick": _ = loop.schedule(after: .milliseconds(1), self)
        case "/age":
            request.exchange.context.connections.lastIdentity = UInt64(UInt32.max) - 2
        default: break
        }
        request.exchange.respond(status: 200, on: loop) { $0.body(path) }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        for source in sources { source.stream?.send(StreamFrame(Array("frame".utf8)), on: loop) }
        journal.note("sent")
    }
}
