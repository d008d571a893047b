import Gzip
@testable import HTTPServer
import Sockets
import Testing

@Suite struct RefusalTests {
    private static let host = "Host: a\r\n"

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\nHost: a\n\n", "400"),
        ("GET / HTTP/1.1\r\n\(host)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400"),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\n\(host)A : b\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\n\(host)A: b\r\n c\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400"),
        ("GET / HTTP/2.0\r\n\(host)\r\n", "505"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 1048577\r\n\r\n", "413"),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n100001\r\n", "413"),
        ("POST / HTTP/1.1\r\n\(host)Expect: tea\r\nContent-Length: 1\r\n\r\na", "417"),
        ("GET /\(String(repeating: "a", count: 8193)) HTTP/1.1\r\n\(host)\r\n", "414"),
        ("GET / HTTP/1.1\r\n\(host)A: \(String(repeating: "a", count: 32768))\r\n\r\n", "431"),
        (
            "GET / HTTP/1.1\r\n\(host)\(String(repeating: "a: b\r\n", count: 100))\r\n", "431"
        ),
    ])
    func `what cannot be served is refused with a problem, and the connection ends`(
        request: String, status: String
    ) async throws {
        try await TestServer.run { server in
            let answer = try server.exchange(Request.get("/first") + request + Request.get("/no"))
            #expect(statuses(answer) == ["200", status])
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(answer.contains("\r\nContent-Type: application/problem+json\r\n"))
            #expect(answer.contains("{\"type\":\"/problems/"))
            #expect(answer.hasSuffix("}"))
        }
    }

    @Test(arguments: [
        ("Expect: tea\r\nContent-Length: 1\r\n\r\na", "417"),
        ("Content-Length: 1048577\r\n\r\n", "413"),
        ("Transfer-Encoding: chunked\r\n\r\n100001\r\n", "413"),
        ("Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400"),
        ("Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "400"),
        ("Transfer-Encoding: gzip, chunked\r\n\r\n", "501"),
    ])
    func `HEAD is refused without content whatever is wrong with its body`(
        rest: String, status: String
    ) async throws {
        try await TestServer.run { server in
            let answer = try server.exchange("HEAD / HTTP/1.1\r\n\(Self.host)\(rest)")
            #expect(statuses(answer) == [status])
            #expect(answer.contains("\r\nContent-Type: application/problem+json\r\n"))
            #expect(!answer.contains("\r\nContent-Length: 0\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `a client that goes on sending can still read why it is refused`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(
                Request.make("POST", "/", ["Content-Length: 2000000"]))
            for _ in 0..<8 { try client.send([UInt8](repeating: 0, count: 65536)) }
            #expect(try statuses(text(client.receiveAll())) == ["413"])
        }
    }

    @Test func `lingering ends after its time, and after its bytes`() async throws {
        var limits = HTTPLimits()
        limits.lingerByteCount = 1000
        try await TestServer.run(limits: limits) { server in
            let slow = try server.connect()
            try slow.send("nonsense\r\n\r\n")
            #expect(try statuses(text(slow.receiveAll())) == ["400"])
            #expect(server.server.connectionCount == 1)
            await server.server.advance(by: .seconds(3))
            try await server.awaitConnections { $0 == 0 }

            let loud = try server.connect()
            try loud.send("nonsense\r\n\r\n")
            _ = try loud.receiveAll()
            try loud.send([UInt8](repeating: 0, count: 5000))
            try await server.awaitConnections { $0 <= 0 }
        }
    }

    @Test func `a body in gzip is taken off within the limit`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            func send(_ body: [UInt8], _ coding: String) throws {
                try client.send(
                    Request.make(
                        "POST", "/echo",
                        ["Content-Length: \(body.count)", "Content-Encoding: \(coding)"]))
                try client.send(body)
            }
            try send(gzip([UInt8]("plain".utf8).span), "gzip")
            #expect(try client.receive(to: "plain").contains("Content-Length: 5\r\n"))
            try send(gzip([UInt8](repeating: 0, count: 2_000_000).span), "gzip")
            #expect(try statuses(client.receive(to: "}")) == ["413"])
            try send([1, 2, 3], "gzip")
            #expect(try statuses(client.receive(to: "}")) == ["400"])
            try send([1, 2, 3], "br")
            #expect(try statuses(client.receive(to: "}")) == ["415"])
            try send([UInt8]("as it is".utf8), "identity")
            #expect(try statuses(client.receive(to: "as it is")) == ["200"])
        }
    }

    @Test(arguments: [(60_000, "200"), (100_000, "200"), (900_000, "413")])
    func `a body that becomes a hundred times larger is refused`(
        byteCount: Int, status: String
    ) async throws {
        try await TestServer.run { server in
            let content = [UInt8](repeating: 97, count: byteCount)
            var coded = gzip(content.span, level: 9)
            // A gzip file may have a name, which makes it longer.
            if byteCount == 100_000 {
                coded[3] = 8
                coded.insert(contentsOf: [UInt8](repeating: 98, count: 1_000) + [0], at: 10)
            }
            let client = try server.connect()
            try client.send(
                "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\n"
                    + "Content-Length: \(coded.count)\r\n\r\n")
            try client.send(coded)
            let answer = try text(client.receiveAll())
            #expect(statuses(answer) == [status])
            guard status == "413" else { return }
            let bound = 100 * coded.count
            #expect(answer.contains("at most 100 times as much is taken, \(bound) bytes."))
            #expect(answer.contains("\"limit\":\(bound)"))
        }
    }
}
