import Glibc
import Gzip
import HTTPTypes
import Testing

@testable import HTTPClient

/// What a request to the server ends with.
private func failure(
    of request: OutboundRequest, _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
) async throws -> HTTPClientError? {
    var failure: HTTPClientError?
    try await withClient(change) { client in
        do {
            _ = try await client.execute(request)
        } catch let error as HTTPClientError {
            failure = error
        }
    }
    return failure
}

@Suite struct FailureTests {
    @Test(arguments: [
        "", "localhost", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://a b/",
        "http://127.0.0.1:99999/", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\0",
    ])
    func `a URL that is not plain HTTP is refused`(_ url: String) async throws {
        let error = try await failure(of: OutboundRequest(url: url))
        #expect(error == .invalidURL(url))
    }

    @Test func `a port where nobody listens is no connection`() async throws {
        let port = RawServer(nil).port
        let error = try await failure(of: OutboundRequest(url: "http://127.0.0.1:\(port)/"))
        guard case .notConnected = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ])
    func `an answer cut short is a lost connection`(_ part: String) async throws {
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            connection.send(part)
        }
        let error = try await failure(of: OutboundRequest(url: server.url()))
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH\r\n", "hello", "HTTP/1.1 abc\r\n\r\n"])
    func `an answer that is not HTTP is malformed`(_ text: String) async throws {
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            connection.send(text)
        }
        let error = try await failure(of: OutboundRequest(url: server.url()))
        guard case .malformedResponse = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["Content-Length: 1001\r\n\r\n", "Connection: close\r\n\r\n"])
    func `a body beyond the limit is cut`(_ head: String) async throws {
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            connection.send("HTTP/1.1 200 OK\r\n" + head)
            connection.send([UInt8](repeating: 1, count: 1_001))
            connection.waitForClose()
        }
        let error = try await failure(of: OutboundRequest(url: server.url())) {
            $0.responseLimit = 1_000
        }
        #expect(error == .responseTooLarge(limit: 1_000))
    }

    @Test func `a field section beyond the limit is cut`() async throws {
        let server = answering(
            "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "x", count: 2_000) + "\r\n\r\n")
        let error = try await failure(of: OutboundRequest(url: server.url())) {
            $0.fieldsLimit = 1_000
        }
        #expect(error == .fieldsTooLarge(limit: 1_000))
    }

    @Test func `an endless redirect ends`() async throws {
        let server = answering(
            "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        var request = OutboundRequest(url: server.url())
        request.redirectLimit = 3
        #expect(try await failure(of: request) == .tooManyRedirects(limit: 3))
    }

    @Test func `a redirect out of HTTP is not followed`() async throws {
        let server = answering(
            "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")
        var request = OutboundRequest(url: server.url())
        request.redirectLimit = 3
        #expect(try await failure(of: request) != nil)
    }

    @Test func `silence ends at the total timeout`() async throws {
        let server = RawServer { connection, _ in connection.waitForClose() }
        var request = OutboundRequest(url: server.url())
        request.totalTimeout = .milliseconds(30)
        #expect(try await failure(of: request) == .timedOut)
    }

    @Test func `a body that stops ends at the total timeout`() async throws {
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            connection.waitForClose()
        }
        var request = OutboundRequest(url: server.url())
        request.totalTimeout = .milliseconds(30)
        #expect(try await failure(of: request) == .timedOut)
    }

    @Test func `a connection that is never accepted ends at the connect timeout`() async throws {
        let server = FullServer()
        let error = try await failure(of: OutboundRequest(url: server.url)) {
            $0.connectTimeout = .milliseconds(30)
        }
        #expect(error == .connectTimedOut)
    }
}

@Suite struct ThreadRefusalTests {
    @Test func `a client without a thread is an error, and others are made`() async throws {
        // No machine has room for such a stack, so that the system refuses the thread.
        let error = #expect(throws: HTTPClientError.self) {
            _ = try OutboundClient(
                configuration: HTTPClientConfiguration(), stackByteCount: 1 << 50)
        }
        #expect(error == .noThread(code: Int(EAGAIN)))
        let server = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await withClient { client in
            _ = try await client.execute(OutboundRequest(url: server.url()))
        }
    }
}

@Suite struct GzipAnswerTests {
    private func server(_ body: [UInt8]) -> RawServer {
        RawServer { connection, _ in
            _ = connection.receiveRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
            )
            connection.send(body)
            connection.waitForClose()
        }
    }

    private func packed(_ count: Int) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: count)
        return gzip(zeros.span)
    }

    @Test func `a coded body is decoded and its coding not mentioned`() async throws {
        let server = server(packed(10_000))
        try await withClient { client in
            let response = try await client.execute(OutboundRequest(url: server.url()))
            #expect(response.body == [UInt8](repeating: 0, count: 10_000))
            #expect(!response.fields.contains(.contentEncoding))
            #expect(!response.fields.contains(.contentLength))
        }
    }

    @Test func `a bomb stops at the limit`() async throws {
        let bomb = server(packed(1_000_000))
        let error = try await failure(of: OutboundRequest(url: bomb.url())) {
            $0.responseLimit = 10_000
        }
        #expect(error == .responseTooLarge(limit: 10_000))
    }

    @Test func `a coded body cut short inside its length is malformed`() async throws {
        let cut = server(packed(1_000).dropLast(3))
        let error = try await failure(of: OutboundRequest(url: cut.url()))
        #expect(error == .malformedResponse(detail: "gzip: truncated"))
    }
}
