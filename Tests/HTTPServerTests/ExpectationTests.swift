import HTTPMessages
@testable import HTTPServer
import Sockets
import Testing

/// Clients that wait for 100 before they send the body (RFC 9110 §10.1.1).
@Suite struct ExpectationTests {
    private static let expect = "Expect: 100-continue"
    private static let framings = ["Content-Length: 50", "Transfer-Encoding: chunked"]

    @Test(arguments: framings, [1, 7, 1000])
    func `what the head decides is answered at once instead of 100`(
        framing: String, size: Int
    ) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let request = [UInt8](
                Request.make("POST", "/refused", [framing, Self.expect]).utf8)
            for start in stride(from: 0, to: request.count, by: size) {
                try client.send(Array(request[start..<min(start + size, request.count)]))
            }
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == ["404"])
            #expect(answer.contains("\r\nConnection: close\r\n"))
            let lines = ["asked for true", "refused with 0 bytes of body"]
            #expect(server.journal.all == lines)
        }
    }

    @Test(arguments: framings)
    func `a body that comes all the same is no request`(framing: String) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.make("POST", "/refused", [framing, Self.expect]))
            let first = try client.receive(to: "}")
            try client.send(Request.get("/a") + Request.get("/b"))
            let answer = text(try client.receiveAll())
            #expect(statuses(first + answer) == ["404"])
            #expect(try server.isAlive())
        }
    }

    @Test func `a body that has begun to come is refused like one that has not`() async throws {
        try await TestServer.run { server in
            let head = Request.make("POST", "/refused", ["Content-Length: 4", Self.expect])
            let answer = try server.exchange(head + "bo")
            #expect(statuses(answer) == ["404"])
        }
    }

    @Test func `a request behind a held one is refused in its turn`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(
                Request.get("/hold")
                    + Request.make("POST", "/refused", ["Content-Length: 4", Self.expect]))
            await server.journal.wait(for: "held")
            _ = try server.exchange(Request.get("/release", close: true))
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == ["200", "404"])
            #expect(order(of: ["released", "/problems/not-found"], in: answer))
        }
    }

    @Test func `nobody is asked for a body that has come, or that nobody waits with`()
        async throws
    {
        try await TestServer.run { server in
            let client = try server.connect()
            for fields in [[Self.expect], []] {
                let head = Request.make("POST", "/refused", ["Content-Length: 4"] + fields)
                if fields.isEmpty {
                    try client.send(head)
                    try client.send("body")
                } else {
                    try client.send(head + "body")
                }
                #expect(try statuses(client.receive(to: "}")) == ["404"])
            }
            let line = "refused with 4 bytes of body"
            #expect(server.journal.all == [line, line])
        }
    }

    @Test func `HEAD is refused without content`() async throws {
        try await TestServer.run { server in
            let head = Request.make("HEAD", "/refused", ["Content-Length: 4", Self.expect])
            let answer = try server.exchange(head)
            #expect(statuses(answer) == ["404"])
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `a coding that cannot be taken off is refused at once`() async throws {
        try await TestServer.run { server in
            let answer = try server.exchange(
                Request.make(
                    "POST", "/echo", ["Content-Length: 4", "Content-Encoding: br", Self.expect]))
            #expect(statuses(answer) == ["415"])
            #expect(answer.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test(arguments: framings, ["/loop/0", "/loop/1"])
    func `a head is judged on the loop that the request is for`(
        framing: String, place: String
    ) async throws {
        let journal = Journal()
        let handler: WebServer.HandlerFactory = { _ in JudgingHandler(journal) }
        try await TestServer.run(loops: 2, journal: journal, handler: handler) { server in
            let head = Request.make("POST", place + "/refused", [framing, Self.expect])
            #expect(try statuses(server.exchange(head)) == ["404"])
            let client = try server.connect()
            try client.send(
                Request.get("/") + Request.make("POST", place + "/taken", [framing, Self.expect]))
            let answers = try client.receive(upTo: "100 Continue\r\n\r\n")
            #expect(statuses(answers) == ["404", "100"])
            let body = String(repeating: "x", count: 50)
            let isChunked = framing.hasPrefix("Transfer")
            try client.send(isChunked ? "32\r\n\(body)\r\n0\r\n\r\n" : body)
            #expect(try statuses(client.receive(to: "}")) == ["404"])
            let index = place.suffix(1)
            let lines = journal.all.filter { !$0.hasPrefix("handled /") }
            #expect(
                lines == [
                    "asked on \(index)", "handled 0 bytes on \(index)", "asked on \(index)",
                    "handled 50 bytes on \(index)",
                ])
        }
    }

    @Test func `a handler that says nothing of it has every client go on`() async throws {
        try await TestServer.run(handler: { _ in NotFoundHandler() }) { server in
            let client = try server.connect()
            try client.send(Request.make("POST", "/", ["Content-Length: 4", Self.expect]))
            #expect(try client.receive(to: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("body")
            #expect(try statuses(client.receive(to: "}")) == ["404"])
        }
    }
}

private final class NotFoundHandler: RequestHandler {
    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        request.exchange.respond(.notFound, on: loop)
    }
}

/// Notes on which loop it is asked for what. Like the others it finds nothing.
private final class JudgingHandler: RequestHandler {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
    }

    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress, nonce: UInt64,
        serial: UInt64
    ) -> RequestPlan {
        var plan = RequestPlan()
        let parts = head.path.string(in: bytes).split(separator: "/")
        if parts.count > 1 { plan.destination = Int(parts[1]).map { .init(loopIndex: $0) } }
        return plan
    }

    func refuses(
        _ head: RequestHead, _ plan: RequestPlan, in bytes: Span<UInt8>, from address: IPAddress,
        on loop: isolated EventLoop
    ) -> Bool {
        journal.note("asked on \(loop.index)")
        return head.path.string(in: bytes).hasSuffix("/refused")
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let isOther = request.head.path.isEqual(to: "/", in: bytes)
        journal.note(isOther ? "handled /" : "handled \(request.body.count) bytes on \(loop.index)")
        request.exchange.respond(.notFound, on: loop)
    }
}
