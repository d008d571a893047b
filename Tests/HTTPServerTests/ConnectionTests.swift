@testable import HTTPServer
import FaultPlans
import Sockets
import Testing

@Suite struct ConnectionTests {
    @Test func `a request is answered and the connection kept`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            for path in ["/a", "/b"] {
                try client.send(Request.get(path))
                let answer = try client.receive(to: "GET \(path)")
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
                #expect(answer.contains("Content-Length: 6\r\n"))
                #expect(!answer.contains("Connection:"))
            }
        }
    }

    @Test func `pipelined requests are answered in order by one write`() async throws {
        let plan = FaultPlan { _, _ in nil }
        try await TestServer.run(limits: .longTurns, faults: plan) { server in
            let client = try server.connect()
            try client.send((1...20).map { Request.post("/echo", "number \($0);") }.joined())
            let answer = try client.receive(to: "number 20;")
            #expect(statuses(answer) == Array(repeating: "200", count: 20))
            #expect(order(of: ["number 1;", "number 2;", "number 19;"], in: answer))
            #expect(plan.count(of: .send) == 1)
        }
    }

    @Test func `an answer to HEAD has the fields and no body`() async throws {
        try await TestServer.run { server in
            let both = Request.make("HEAD", "/x", []) + Request.get("/y", close: true)
            let answer = try server.exchange(both)
            #expect(answer.contains("Content-Length: 7\r\n\r\nHTTP/1.1 200 OK"))
            #expect(answer.hasSuffix("GET /y"))
        }
    }

    @Test(arguments: [1, 7, 64])
    func `a request comes whole however it is cut`(size: Int) async throws {
        try await TestServer.run { server in
            let request = [UInt8](
                (Request.post("/echo", "first body")
                    + Request.make("POST", "/echo", ["Transfer-Encoding: chunked"])
                    + "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nT: x\r\n\r\n"
                    + Request.get("/end", close: true)).utf8)
            let client = try server.connect()
            for start in stride(from: 0, to: request.count, by: size) {
                try client.send(Array(request[start..<min(start + size, request.count)]))
            }
            let answer = text(try client.receiveAll())
            #expect(statuses(answer) == ["200", "200", "200"])
            #expect(answer.contains("\r\n\r\nfirst body"))
            #expect(answer.contains("\r\n\r\nhello world"))
            #expect(answer.hasSuffix("GET /end"))
        }
    }

    @Test func `a client that waits is told to continue, once`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(
                Request.make("POST", "/echo", ["Content-Length: 4", "Expect: 100-continue"]))
            #expect(try client.receive(to: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("bo")
            try client.send("dy")
            #expect(try client.receive(to: "body").hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test func `a body that has come already is not asked for`() async throws {
        try await TestServer.run { server in
            let request = Request.post("/echo", "body", close: true, "Expect: 100-continue")
            let answer = try server.exchange(request)
            #expect(statuses(answer) == ["200"])
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", "Connection: close"),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "Connection: close"),
    ])
    func `the connection ends when the client does not keep it`(
        request: String, field: String
    ) async throws {
        try await TestServer.run { server in
            let answer = try server.exchange(request)
            #expect(answer.contains("\r\n\(field)\r\n"))
        }
    }

    @Test func `an HTTP 1.0 connection is kept when that is asked for`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try client.receive(to: "GET /a").contains("\r\nConnection: keep-alive\r\n"))
            try client.send("GET /b HTTP/1.0\r\n\r\n")
            #expect(try text(client.receiveAll()).hasSuffix("GET /b"))
        }
    }

    @Test func `a client that has ended its side is still answered`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.get("/hold"))
            await server.journal.wait(for: "held")
            try client.shutdownWrite()
            _ = try server.exchange(Request.get("/release", close: true))
            #expect(try text(client.receiveAll()).hasSuffix("released"))
        }
    }

    @Test func `a held request holds those behind it back`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.get("/hold") + Request.get("/after", close: true))
            await server.journal.wait(for: "held")
            _ = try server.exchange(Request.get("/release", close: true))
            let answer = text(try client.receiveAll())
            #expect(order(of: ["released", "GET /after"], in: answer))
        }
    }

    @Test func `who observes a held request is told when its client goes`() async throws {
        try await TestServer.run { server in
            do {
                let client = try server.connect()
                try client.send(Request.get("/hold"))
                await server.journal.wait(for: "held")
                try client.resetOnClose()
            }
            await server.journal.wait(for: "client gone")
            #expect(try server.isAlive())
        }
    }

    @Test func `a large answer reaches a client that reads slowly`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.get("/big/20000000") + Request.get("/next", close: true))
            _ = try server.isAlive()
            let answer = try client.receiveAll()
            #expect(answer.count > 20_000_000)
            #expect(text(Array(answer.suffix(9))) == "GET /next")
        }
    }
}
