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

    @Test func `the compressed form is made once, for the first that wants it, never for HEAD`()
        async throws
    {
        let journal = Journal()
        try await TestServer.run(journal: journal, handler: { _ in KeepingHandler(journal) }) {
            server in
            let client = try server.connect()
            var lengths: [Substring?] = []
            for method in ["HEAD", "GET", "GET", "HEAD"] {
                try client.send(Request.make(method, "/", ["Accept-Encoding: gzip"]))
                let answer = try client.receive { bytes in
                    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
                        return false
                    }
                    return method == "HEAD" || bytes.count > end.upperBound
                }
                let fields = text(answer).split(separator: "\r\n")
                #expect(fields.contains("Content-Encoding: gzip"))
                lengths.append(fields.first { $0.hasPrefix("Content-Length: ") })
            }
            #expect(lengths[0] == nil)
            #expect(lengths[1] != nil && Set(lengths.dropFirst()).count == 1)
            #expect(journal.all == ["plain", "another", "the same", "the same"])
        }
    }
}

/// Keeps one body for all answers, and notes after each whether its compressed form is there.
private final class KeepingHandler: RequestHandler {
    private let body = NegotiatedBody(SharedBytes([UInt8](repeating: 120, count: 50_000)))
    private var last: SharedBytes?
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        request.exchange.respondNegotiated(
            to: request.head, in: bytes, contentType: "text/plain", body: body, on: loop)
        let place = Self.place(of: body.compressed)
        journal.note(
            place == nil ? "plain" : place == Self.place(of: last) ? "the same" : "another")
        last = body.compressed
    }

    private static func place(of bytes: SharedBytes?) -> UInt? {
        guard let bytes = bytes?.bytes else { return nil }
        return unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}

private final class NegotiatingHandler: RequestHandler {
    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let count = Int(request.head.path.string(in: bytes).dropFirst()) ?? 0
        let content = SharedBytes([UInt8](repeating: 120, count: count))
        request.exchange.respondNegotiated(
            to: request.head, in: bytes, contentType: "application/json", etag: "t",
            body: NegotiatedBody(content), on: loop)
    }
}
