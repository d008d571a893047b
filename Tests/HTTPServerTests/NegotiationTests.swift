import Gzip
import HTTPMessages
@testable import HTTPServer
import Sockets
import Testing

@Suite struct NegotiationTests {
    @Test(arguments: [
        ("/5000", "gzip", true), ("/5000", "br, gzip;q=0.5", true), ("/5000", "*", true),
        ("/5000", "gzip;q=0.5, identity", false), ("/5000", "gzip;q=0", false),
        ("/5000", "identity", false), ("/10", "gzip", false),
    ])
    func `an answer is compressed where that is wanted and pays`(
        path: String, accept: String, isCompressed: Bool
    ) async throws {
        try await TestServer.run(handler: { _ in NegotiatingHandler() }) { server in
            let client = try server.connect()
            try client.send(Request.get(path, close: true, "Accept-Encoding: \(accept)"))
            let bytes = try client.receiveAll()
            let head = try #require(bytes.firstRange(of: [13, 10, 13, 10]))
            let fields = text(Array(bytes[..<head.lowerBound]))
            #expect(fields.contains("Vary: Accept-Encoding"))
            #expect(fields.contains("Content-Encoding: gzip") == isCompressed)
            #expect(fields.contains(isCompressed ? "ETag: W/\"t\"" : "ETag: \"t\""))
            let body = Array(bytes[head.upperBound...])
            let plain = isCompressed ? try gunzip(body.span, limit: 10_000) : body
            #expect("/\(plain.count)" == path)
        }
    }
}

private final class NegotiatingHandler: RequestHandler {
    func handle(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        let count = Int(head.path.string(in: bytes).dropFirst()) ?? 0
        let content = [UInt8](repeating: 120, count: count)
        exchange.respondNegotiated(
            to: head, in: bytes, contentType: "application/json", etag: "t", body: content.span,
            on: loop)
    }
}
