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

    @Test func `the loop of the connection refuses, whichever the request is for`() async throws {
        try await TestServer.run(loops: 2) { server in
            for path in ["/loop/0/refused", "/loop/1/refused"] {
                let head = Request.make("POST", path, ["Content-Length: 4", Self.expect])
                let answer = try server.exchange(head)
                #expect(statuses(answer) == ["404"])
            }
            #expect(server.journal.all.count { $0 == "refused with 0 bytes of body" } == 2)
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
    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        exchange.respond(.notFound, on: loop)
    }
}
