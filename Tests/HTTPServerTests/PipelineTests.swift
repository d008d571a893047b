import HTTPMessages
@testable import HTTPServer
import Sockets
import Testing

/// Many requests in one packet: they are handed out in pieces, one at the end of a turn.
@Suite struct PipelineTests {
    private static let pipelines: [(path: String, count: Int)] = [
        ("/large", 40), ("/small", 1000), ("/slow", 20),
    ]

    @Test(arguments: pipelines)
    func `another connection is answered between two pieces of a long pipeline`(
        path: String, count: Int
    ) async throws {
        let journal = Journal()
        let other = OtherClient()
        try await TestServer.run(
            journal: journal, handler: { _ in PipelineHandler(journal, other) }
        ) { server in
            let quick = try server.connect()
            try quick.send(Request.get("/first"))
            _ = try quick.receive(to: "first")
            other.connection.withLock { $0 = quick }
            let client = try server.connect()
            try client.send(
                String(repeating: Request.get(path), count: count - 1)
                    + Request.get(path, close: true))
            let answers = try client.receiveAll()
            #expect(statuses(text(answers)).count == count)
            _ = try quick.receive(to: "other")
            // A piece when the requests came, one at the end of that turn, and the next turn
            // begins with the others.
            let position = journal.all.firstIndex(of: "other") ?? .max
            #expect(position < (path == "/small" ? 200 : 5))
            #expect(journal.all.count == count + 2)
        }
    }

    @Test func `a pipeline of any length is answered to its end without further events`()
        async throws
    {
        var limits = HTTPLimits()
        limits.pipelinedRequestCount = 1
        try await TestServer.run(limits: limits) { server in
            let client = try server.connect()
            for _ in 0..<3 {
                try client.send(String(repeating: Request.get("/p"), count: 500))
                let answers = try client.receive { text($0).ranges(of: "GET /p").count == 500 }
                #expect(statuses(text(answers)).count == 500)
            }
        }
    }
}

/// The connection that asks for something during the first request of a pipeline.
private final class OtherClient: Sendable {
    let connection = Lock<BlockingConnection?>(nil)
}

/// Notes each request; during the first of a pipeline the other connection asks for something.
private final class PipelineHandler: RequestHandler {
    private let journal: Journal
    private let other: OtherClient
    private let large = SharedBytes([UInt8](repeating: 120, count: 70_000))

    init(_ journal: Journal, _ other: OtherClient) {
        self.journal = journal
        self.other = other
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let name = String(request.head.path.string(in: bytes).dropFirst())
        journal.note(name)
        if name != "first" {
            try? other.connection.withLock { $0.take() }?.send(Request.get("/other"))
        }
        if name == "slow" {
            let end = Instant.read().advanced(by: .milliseconds(20))
            while Instant.read() < end {}
        }
        request.exchange.respond(
            body: name == "large" ? large : SharedBytes(Array(name.utf8)), on: loop
        ) { _ in }
    }
}
