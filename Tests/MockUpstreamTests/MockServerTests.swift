import Foundation
import HTTPClient
import HTTPTypes
import Testing

@testable import MockUpstream

/// Runs `body` with a mock on a free port and a client for it.
private func withMock(
    _ change: (inout MockConfiguration) -> Void = { $0.delay = 0 },
    _ body: (_ base: String, OutboundClient) async throws -> Void
) async throws {
    var configuration = MockConfiguration()
    change(&configuration)
    let upstream = try MockServer(configuration: configuration)
    let port = try upstream.start()
    let client = try OutboundClient()
    let result: Result<Void, any Error>
    do {
        result = .success(try await body("http://127.0.0.1:\(port)", client))
    } catch {
        result = .failure(error)
    }
    await client.shutdown()
    await upstream.stop()
    try result.get()
}

extension OutboundResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}

@Suite struct MockServerTests {
    @Test func `a list comes over the socket as JSON`() async throws {
        try await withMock { base, client in
            let url = "\(base)/episodes?query=tin%20har"
            let response = try await client.execute(OutboundRequest(url: url))
            #expect(response.status == .ok)
            #expect(response.fields[.contentType] == "application/json")
            let list = try JSONSerialization.jsonObject(with: Data(response.body))
            #expect((list as? [[String: Any]])?.count == 3)
        }
    }

    @Test func `a comment is posted and read back`() async throws {
        try await withMock { base, client in
            let url = "\(base)/episodes/tin-harbour-2-3/comments"
            let body = Array(#"{"text":"Hello"}"#.utf8)
            let posted = try await client.execute(
                OutboundRequest(
                    method: .post, url: url, fields: [.contentType: "application/json"],
                    body: body))
            #expect(posted.status == .created)
            let read = try await client.execute(OutboundRequest(url: url))
            #expect(read.text.contains(#""text":"Hello""#))
        }
    }

    @Test func `signing in goes by the field Authorization`() async throws {
        try await withMock { base, client in
            let credentials = Data("rosa@example.com:open-sesame".utf8).base64EncodedString()
            for (value, status) in [("Basic \(credentials)", 200), ("Basic eDp5", 401)] {
                let response = try await client.execute(
                    OutboundRequest(
                        method: .post, url: "\(base)/login", fields: [.authorization: value]))
                #expect(response.status.code == status)
            }
        }
    }

    @Test func `a HEAD is answered like its GET, without the body`() async throws {
        try await withMock { base, client in
            let get = try await client.execute(OutboundRequest(url: "\(base)/users/ada"))
            let head = try await client.execute(
                OutboundRequest(method: .head, url: "\(base)/users/ada"))
            #expect(head.body.isEmpty)
            #expect(head.fields[.contentLength] == "\(get.body.count)")
        }
    }

    @Test func `failures are provoked and requests counted from outside`() async throws {
        try await withMock { base, client in
            let order = try await client.execute(
                OutboundRequest(
                    method: .put, url: "\(base)/mock/failures",
                    body: Array(#"{"path":"/location","status":500}"#.utf8)))
            #expect(order.status == .noContent)
            let failed = try await client.execute(OutboundRequest(url: "\(base)/location"))
            #expect(failed.status == .internalServerError)
            #expect(failed.fields[.contentType] == "application/problem+json")
            let good = try await client.execute(OutboundRequest(url: "\(base)/location"))
            #expect(good.status == .ok)
            let counts = try await client.execute(OutboundRequest(url: "\(base)/mock/requests"))
            #expect(counts.text == #"{"/location":2}"#)
        }
    }

    @Test func `many delayed answers wait at once`()
        async throws
    {
        try await withMock({ $0.delay = 1 }) { base, client in
            let rules = (1...40).map { index in
                #"{"path":"/users/ada","delayMilliseconds":\#(index)}"#
            }
            _ = try await client.execute(
                OutboundRequest(
                    method: .put, url: "\(base)/mock/failures",
                    body: Array("[\(rules.joined(separator: ","))]".utf8)))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...40 {
                    group.addTask {
                        try await client.execute(OutboundRequest(url: "\(base)/users/ada"))
                            .status.code
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func `a client that does not wait disturbs nobody`() async throws {
        try await withMock({ $0.delay = 1 }) { base, client in
            var request = OutboundRequest(url: "\(base)/rides")
            request.method = .post
            request.totalTimeout = .milliseconds(500)
            await #expect(throws: HTTPClientError.timedOut) {
                try await client.execute(request)
            }
            let next = try await client.execute(OutboundRequest(url: "\(base)/mock/requests"))
            #expect(next.text == #"{"/rides":1}"#)
        }
    }
}
