import HTTPTypes
import Synchronization
import Testing

@testable import HTTPClient

/// Runs `body` with a client that is shut down afterwards.
func withClient(
    _ change: (inout HTTPClientConfiguration) -> Void = { _ in },
    _ body: (OutboundClient) async throws -> Void
) async throws {
    var configuration = HTTPClientConfiguration()
    change(&configuration)
    let client = try OutboundClient(configuration: configuration)
    do {
        try await body(client)
    } catch {
        await client.shutdown()
        throw error
    }
    await client.shutdown()
}

/// A server that answers every request of a connection with the same bytes.
func answering(_ answer: String) -> RawServer {
    RawServer { connection, _ in
        while connection.receiveRequest() != nil { connection.send(answer) }
    }
}

@Suite struct HTTPClientTests {
    @Test func `status, fields and body arrive`() async throws {
        let server = answering(
            "HTTP/1.1 201 Created\r\nX-One:  a \r\nX-Two: b\r\nX-One: c\r\nX-Empty:\r\n"
                + "Content-Length: 5\r\n\r\nhello")
        try await withClient { client in
            let response = try await client.execute(OutboundRequest(url: server.url()))
            #expect(response.status == .created)
            #expect(response.body == Array("hello".utf8))
            let one = try #require(HTTPField.Name("X-One"))
            #expect(response.fields[values: one] == ["a", "c"])
            #expect(HTTPField.Name("X-Empty").map { response.fields[$0] } == "")
        }
    }

    @Test func `the request is sent as it was given`() async throws {
        let seen = Mutex<[String]>([])
        let server = RawServer { connection, _ in
            while let request = connection.receiveRequest() {
                seen.withLock { $0.append(request) }
                connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        try await withClient { client in
            var request = OutboundRequest(
                method: .post, url: server.url("/a/../b?c=%20d"), body: Array("{}".utf8))
            request.fields[.contentType] = "application/json"
            request.fields[.authorization] = ""
            let response = try await client.execute(request)
            #expect(response.status == .noContent)
            let text = try #require(seen.withLock { $0.first })
            #expect(text.hasPrefix("POST /a/../b?c=%20d HTTP/1.1\r\n"))
            #expect(text.hasSuffix("\r\n\r\n{}"))
            #expect(text.contains("Host: 127.0.0.1:\(server.port)\r\n"))
            #expect(text.contains("Content-Type: application/json\r\n"))
            #expect(text.contains("Content-Length: 2\r\n"))
            #expect(text.contains("Accept-Encoding: gzip\r\n"))
            #expect(text.contains("Authorization:\r\n"))
            #expect(!text.contains("Expect"))
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func `each method goes over the wire by its name`(_ name: String) async throws {
        let seen = Mutex<[String]>([])
        let server = RawServer { connection, _ in
            while let request = connection.receiveRequest() {
                seen.withLock { $0.append(request) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let method = try #require(HTTPRequest.Method(rawValue: name))
        try await withClient { client in
            for body in [[], Array("x".utf8)] as [[UInt8]] {
                let request = OutboundRequest(method: method, url: server.url(), body: body)
                let response = try await client.execute(request)
                #expect(response.body == Array("ok".utf8))
            }
        }
        let all = seen.withLock { $0 }
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0.hasPrefix("\(name) / HTTP/1.1\r\n") })
        #expect(all.last?.hasSuffix("\r\n\r\nx") == true)
    }

    @Test func `an answer to HEAD has no body`() async throws {
        let server = answering("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
        try await withClient { client in
            let request = OutboundRequest(method: .head, url: server.url())
            let response = try await client.execute(request)
            #expect(response.body.isEmpty)
            #expect(response.fields[.contentLength] == "99")
        }
    }

    @Test func `chunks are joined and trailers dropped`() async throws {
        let server = answering(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Late: 1\r\n\r\n")
        try await withClient { client in
            let response = try await client.execute(OutboundRequest(url: server.url()))
            #expect(response.body == Array("abcde".utf8))
            #expect(HTTPField.Name("X-Late").map { response.fields.contains($0) } == false)
        }
    }

    @Test func `interim answers are passed over`() async throws {
        let server = answering(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        try await withClient { client in
            let response = try await client.execute(OutboundRequest(url: server.url()))
            #expect(response.status == .ok)
            #expect(HTTPField.Name("Link").map { response.fields.contains($0) } == false)
        }
    }

    @Test func `an answer byte by byte is put together`() async throws {
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            for byte in "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8 {
                connection.send([byte])
            }
            connection.waitForClose()
        }
        try await withClient { client in
            let response = try await client.execute(OutboundRequest(url: server.url()))
            #expect(response.body == Array("abc".utf8))
        }
    }

    @Test func `a redirect is an answer unless asked to follow`() async throws {
        let server = RawServer { connection, _ in
            while let request = connection.receiveRequest() {
                let isFirst = request.hasPrefix("GET /from ")
                connection.send(
                    isFirst
                        ? "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 3\r\n\r\nold"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew")
            }
        }
        try await withClient { client in
            var request = OutboundRequest(url: server.url("/from"))
            let first = try await client.execute(request)
            #expect(first.status == .found)
            #expect(first.fields[.location] == "/to")
            #expect(first.body == Array("old".utf8))
            request.redirectLimit = 1
            let second = try await client.execute(request)
            #expect(second.status == .ok)
            #expect(second.body == Array("new".utf8))
            #expect(!second.fields.contains(.location))
        }
    }

    @Test func `connections are used again`() async throws {
        let connections = Atomic<Int>(0)
        let server = RawServer { connection, _ in
            connections.add(1, ordering: .relaxed)
            while connection.receiveRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await withClient { client in
            for _ in 0..<20 { _ = try await client.execute(OutboundRequest(url: server.url())) }
        }
        #expect(connections.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: [(HTTPRequest.Method.get, 2), (.put, 2), (.post, 1), (.patch, 1)])
    func `only an idempotent request is sent again when its connection has gone`(
        _ method: HTTPRequest.Method, _ count: Int
    ) async throws {
        let received = Atomic<Int>(0)
        let server = RawServer { connection, _ in
            while let request = connection.receiveRequest() {
                guard request.hasPrefix("\(method.rawValue) /again ") else {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                    continue
                }
                received.add(1, ordering: .relaxed)
                return
            }
        }
        try await withClient { client in
            _ = try await client.execute(OutboundRequest(url: server.url("/first")))
            let request = OutboundRequest(
                method: method, url: server.url("/again"), body: Array("x".utf8))
            await #expect(throws: HTTPClientError.self) { try await client.execute(request) }
        }
        #expect(received.load(ordering: .relaxed) == count)
    }

    @Test func `many requests at once keep to the limit of connections`() async throws {
        let open = Mutex((now: 0, most: 0))
        let server = RawServer { connection, _ in
            open.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            while connection.receiveRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            open.withLock { $0.now -= 1 }
        }
        try await withClient({ $0.transferLimit = 4 }) { client in
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await client.execute(OutboundRequest(url: server.url())).body
                    }
                }
                for try await body in group { #expect(body == Array("ok".utf8)) }
            }
        }
        #expect(open.withLock { $0.most } <= 4)
    }
}
