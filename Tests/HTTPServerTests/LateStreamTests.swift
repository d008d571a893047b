import HTTPMessages
@testable import HTTPServer
import Sockets
import Testing

/// A connection has one stream in its life, and an exchange one answer.
@Suite struct LateStreamTests {
    @Test func `an exchange that has its answer does not get the stream of a later one`()
        async throws
    {
        let journal = Journal()
        try await TestServer.run(journal: journal, handler: { _ in LateHandler(journal) }) {
            server in
            let client = try server.connect()
            try client.send(Request.get("/first"))
            #expect(try client.receive(to: "/first").hasPrefix("HTTP/1.1 200 OK"))
            try client.send(Request.get("/stream"))
            _ = try client.receive(to: "\r\n\r\n")
            #expect(try server.exchange(Request.get("/late", close: true)).hasSuffix("false"))
            #expect(try client.receivePayload(to: "frame") == "frame")
            await journal.wait(for: "late: closed")
        }
    }

    @Test func `the handle of a stream is a pointer`() {
        #expect(MemoryLayout<OutgoingStream?>.size == MemoryLayout<Int>.size)
    }
}

/// `/late` asks for a stream in answer to a request that was answered, and sends a frame to it and to
/// the stream of `/stream`.
private final class LateHandler: RequestHandler {
    private let journal: Journal
    private var answered: Exchange?
    private var stream: OutgoingStream?

    init(_ journal: Journal) {
        self.journal = journal
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let path = request.head.path.array(in: bytes)
        var answer = path
        switch text(path) {
        case "/first": answered = request.exchange
        case "/stream":
            stream = request.exchange.startStream(
                source: LateSource("stream", journal), of: 1, on: loop
            ) {
                _ in
            }
            return
        default:
            let late = answered?.startStream(source: LateSource("late", journal), of: 1, on: loop) {
                _ in
            }
            late?.send(StreamFrame(Array("late".utf8)), on: loop)
            stream?.send(StreamFrame(Array("frame".utf8)), on: loop)
            answer = Array("\(late?.isOpen ?? true)".utf8)
        }
        request.exchange.respond(status: 200, on: loop) { $0.body(answer) }
    }
}

private final class LateSource: StreamSource {
    private let name: String
    private let journal: Journal

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
    }

    func streamDrained(on loop: isolated EventLoop) {}
    func streamClosed(on loop: isolated EventLoop) { journal.note("\(name): closed") }
}
