import FaultPlans
import Gzip
import HTTPMessages
@testable import HTTPServer
import Sockets
import TemporaryFolder
import Testing

@Suite struct StaticFilesTests {
    /// What is asked, with which fields, and what stands in the answer, or does not.
    struct Case: Sendable, CustomTestStringConvertible {
        var method = "GET"
        let path: String
        var fields: [String] = []
        let status: String
        var holds: [String] = []
        var lacks: [String] = []

        var testDescription: String {
            ([method, path] + fields).joined(separator: " ")
        }
    }

    private static let modified = "Tue, 14 Nov 2023 22:13:20 GMT"
    private static let page = "<!doctype html><title>page</title>"
    private static let policy = "Content-Security-Policy: default-src 'self'; img-src 'self' data:"

    private static let cases = [
        Case(path: "/", status: "200", holds: [page, "Content-Type: text/html; charset=utf-8"]),
        Case(
            path: "/index.html", status: "200",
            holds: [
                "X-Content-Type-Options: nosniff", policy, "frame-ancestors 'none'",
                "Referrer-Policy: same-origin", "Last-Modified: \(modified)",
                "Cache-Control: no-cache", "Accept-Ranges: bytes", "Vary: Accept-Encoding",
            ]),
        Case(
            method: "HEAD", path: "/", status: "200", holds: ["Content-Length: 34"], lacks: [page]),
        Case(path: "/app.js", status: "200", holds: ["Content-Type: text/javascript"]),
        Case(path: "/a%20b.txt", status: "200", holds: ["spaced"]),
        Case(
            path: "/app.3f9a2c1d.js", status: "200",
            holds: ["Cache-Control: public, max-age=31536000, immutable"]),
        Case(path: "/pixel.png", status: "200", holds: ["image/png"], lacks: ["Vary"]),
        Case(path: "/none", status: "404", holds: ["/problems/not-found"]),
        Case(path: "/pages", status: "301", holds: ["Location: /pages/\r\n"]),
        Case(path: "/pages?a=b", status: "301", holds: ["Location: /pages/?a=b\r\n"]),
        Case(path: "/pages/", status: "200", holds: ["sub page"]),
        Case(path: "/empty/", status: "404"),
        Case(path: "/empty", status: "404", lacks: ["Location"]),
        Case(path: "/app.js/", status: "404"),
        Case(path: "/app.js/x", status: "404"),
        Case(path: "/.secret", status: "404", lacks: ["hidden"]),
        Case(path: "/../outside.txt", status: "404", lacks: ["outside"]),
        Case(path: "/%2e%2e/outside.txt", status: "404", lacks: ["outside"]),
        Case(path: "/..%2foutside.txt", status: "404", lacks: ["outside"]),
        Case(path: "/leaving.txt", status: "404", lacks: ["outside"]),
        Case(path: "/absolute.txt", status: "404", lacks: ["root:"]),
        Case(path: "/staying.txt", status: "200", holds: ["spaced"]),
        Case(path: "//outside.txt", status: "404"),
        Case(method: "POST", path: "/", status: "405", holds: ["Allow: GET, HEAD, OPTIONS"]),
        Case(
            method: "FOO", path: "/", status: "501", holds: ["/problems/method-not-implemented"]),
        Case(method: "OPTIONS", path: "/", status: "204", holds: ["Allow: GET, HEAD, OPTIONS"]),
        Case(
            path: "/app.js", fields: ["If-Modified-Since: \(modified)"], status: "304",
            holds: ["ETag: "], lacks: ["Content-Length", "export"]),
        Case(
            path: "/app.js", fields: ["If-Modified-Since: Tue, 14 Nov 2023 22:13:19 GMT"],
            status: "200"),
        Case(path: "/app.js", fields: ["If-None-Match: *"], status: "304"),
        Case(path: "/app.js", fields: ["If-None-Match: \"other\""], status: "200"),
        Case(
            path: "/app.js",
            fields: ["If-None-Match: \"other\"", "If-Modified-Since: \(modified)"], status: "200"),
        Case(path: "/app.js", fields: ["If-Match: \"other\""], status: "412"),
        Case(path: "/app.js", fields: ["If-Match: *"], status: "200"),
        Case(
            path: "/app.js", fields: ["If-Unmodified-Since: Tue, 14 Nov 2023 22:13:19 GMT"],
            status: "412"),
        Case(
            path: "/digits.txt", fields: ["Range: bytes=2-4"], status: "206",
            holds: ["Content-Range: bytes 2-4/10", "Content-Length: 3", "\r\n\r\n234"]),
        Case(
            path: "/digits.txt", fields: ["Range: bytes=-2"], status: "206",
            holds: ["Content-Range: bytes 8-9/10", "\r\n\r\n89"]),
        Case(
            path: "/digits.txt", fields: ["Range: bytes=7-"], status: "206",
            holds: ["Content-Range: bytes 7-9/10", "\r\n\r\n789"]),
        Case(
            path: "/digits.txt", fields: ["Range: bytes=10-"], status: "416",
            holds: ["Content-Range: bytes */10"]),
        Case(path: "/digits.txt", fields: ["Range: bytes=0-1,3-4"], status: "200"),
        Case(path: "/digits.txt", fields: ["Range: lines=1-2"], status: "200"),
        Case(path: "/digits.txt", fields: ["Range: bytes=4-2"], status: "200"),
        Case(
            path: "/digits.txt", fields: ["Range: bytes=2-4", "If-Range: \(modified)"],
            status: "206"),
        Case(
            path: "/digits.txt", fields: ["Range: bytes=2-4", "If-Range: \"other\""],
            status: "200", holds: ["0123456789"]),
        Case(
            method: "HEAD", path: "/digits.txt", fields: ["Range: bytes=2-4"], status: "200",
            holds: ["Content-Length: 10"]),
        Case(
            path: "/long.css", fields: ["Accept-Encoding: gzip"], status: "200",
            holds: ["Content-Encoding: gzip", "ETag: W/\"", "Vary: Accept-Encoding"],
            lacks: ["color: red", "Accept-Ranges"]),
        Case(
            path: "/long.css", fields: ["Accept-Encoding: gzip;q=0"], status: "200",
            holds: ["color: red"], lacks: ["Content-Encoding"]),
        Case(path: "/long.css", status: "200", holds: ["color: red"], lacks: ["W/"]),
        Case(
            path: "/app.js", fields: ["Accept-Encoding: gzip"], status: "200",
            holds: ["export"], lacks: ["Content-Encoding"]),
        Case(
            path: "/long.css", fields: ["Accept-Encoding: gzip", "Range: bytes=0-4"],
            status: "206", lacks: ["Content-Encoding"]),
    ]

    @Test(arguments: cases)
    func `a file is answered by the rules of HTTP`(case: Case) async throws {
        try await serve { server, _ in
            let fields = `case`.fields + ["Connection: close"]
            let answer = try server.exchange(Request.make(`case`.method, `case`.path, fields))
            #expect(statuses(answer) == [`case`.status])
            for part in `case`.holds { #expect(answer.contains(part)) }
            for part in `case`.lacks { #expect(!answer.contains(part)) }
        }
    }

    @Test func `a tag is known again, weak or strong, until the file changes`() async throws {
        try await serve { server, directory in
            let client = try server.connect()
            func get(_ fields: String...) throws -> String {
                try client.send(Request.make("GET", "/app.js", fields) + Request.get("/none"))
                return try client.receive(to: "}")
            }
            let first = try get()
            let line = try #require(first.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
            let tag = line.dropFirst(6)
            for form in ["\(tag)", "W/\(tag)", "\"a\", \(tag)"] {
                let statuses = statuses(try get("If-None-Match: \(form)"))
                #expect(statuses == ["304", "404"])
            }
            for form in ["\(tag)", "\"a\", \(tag)"] {
                #expect(try statuses(get("If-Match: \(form)")) == ["200", "404"])
            }
            #expect(try statuses(get("If-Match: W/\(tag)")) == ["412", "404"])
            let ranged = try get("If-Range: \(tag)", "Range: bytes=0-0")
            #expect(statuses(ranged) == ["206", "404"])
            try directory.write("app.js", "export 2", modified: 1_700_000_001)
            let changed = try get("If-None-Match: \(tag)")
            #expect(statuses(changed) == ["200", "404"])
            #expect(changed.contains("export 2"))
        }
    }

    @Test func `a compressed answer is the file, made here or found beside it`() async throws {
        try await serve { server, directory in
            let found = gzip([UInt8]("found".utf8).span)
            try directory.write("found.css", String(repeating: "x", count: 5000))
            try directory.write("found.css.gz", found)
            for (path, content) in [("/long.css", Self.style), ("/found.css", "found")] {
                for _ in 0..<2 {
                    let client = try server.connect()
                    try client.send(Request.get(path, close: true, "Accept-Encoding: gzip"))
                    let bytes = try client.receiveAll()
                    let head = try #require(bytes.firstRange(of: [13, 10, 13, 10]))
                    let body = Array(bytes[head.upperBound...])
                    let plain = try gunzip(body.span, limit: 1 << 20)
                    #expect(text(plain) == content)
                }
            }
        }
    }

    @Test func `a large file is sent whole, in part, and behind other answers`() async throws {
        try await serve { server, directory in
            let content = Self.blocks(600)
            try directory.write("large.bin", content)
            let client = try server.connect()
            try client.send(
                Request.get("/none") + Request.get("/large.bin")
                    + Request.get("/large.bin", close: true, "Range: bytes=5000000-"))
            let bytes = try client.receiveAll()
            let second = try #require(bytes.firstRange(of: [UInt8]("HTTP/1.1 200".utf8)))
            let rest = bytes[second.lowerBound...]
            let body = try #require(rest.firstRange(of: [13, 10, 13, 10])).upperBound
            #expect(Self.samples(rest[body..<body + content.count]) == Self.samples(content[...]))
            #expect(
                Self.samples(bytes.suffix(1_000_000)) == Self.samples(content.suffix(1_000_000)))
            #expect(text(Array(rest[(body + content.count)...].prefix(12))) == "HTTP/1.1 206")
        }
    }

    @Test(arguments: [
        Fault.failure(.wouldBlock), .failure(.interrupted), .short(1000),
    ])
    func `a file arrives whole whatever the kernel takes at a time`(fault: Fault) async throws {
        for number in 1...4 {
            let plan = FaultPlan(fault, at: number, of: .sendFile)
            try await serve(faults: plan) { server, directory in
                let content = Self.blocks(900)
                try directory.write("large.bin", content)
                let client = try server.connect()
                try client.send(Request.get("/large.bin", close: true))
                let bytes = try client.receiveAll()
                let head = try #require(bytes.firstRange(of: [13, 10, 13, 10])).upperBound
                #expect(bytes.count - head == content.count)
                #expect(Self.samples(bytes[head...]) == Self.samples(content[...]))
            }
        }
    }

    @Test func `a client that takes nothing of a file is closed, one that does is not`()
        async throws
    {
        try await serve { server, directory in
            try directory.write("large.bin", Self.blocks(3000))
            let slow = try server.connect()
            try slow.limitReceiveBuffer(to: 4096)
            try slow.send(Request.get("/large.bin"))
            let quick = try server.connect()
            try quick.send(Request.get("/large.bin", close: true))
            var count = try quick.receive().count
            _ = try slow.receive(limit: 1)
            await server.server.advance(by: .seconds(15))
            while count < 20_000_000 { count += try quick.receive().count }
            await server.server.advance(by: .seconds(15))
            while count < 30_000_000 { count += try quick.receive().count }
            _ = try quick.receiveAll()
            await server.advanceToTheLastConnection(by: .seconds(30))
            #expect(server.server.connectionCount == 0)
        }
    }

    @Test(arguments: [
        ("app.3f9a2c1d.js", true), ("app-3f9a2c1d99.css", true), ("app.js", false),
        ("deadbeef.js", false), ("12345678", false), ("app.1234567.js", false),
        ("facade12.js", true),
    ])
    func `a name that carries a hash is told from others`(name: String, expected: Bool) {
        #expect(StaticFile.carriesHash(name) == expected)
    }

    /// Blocks of 10,000 bytes, each of another one.
    private static func blocks(_ count: Int) -> [UInt8] {
        (0..<count).reduce(into: []) {
            $0 += [UInt8](repeating: UInt8(truncatingIfNeeded: $1), count: 10_000)
        }
    }

    /// The first and last byte of each block.
    private static func samples(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 10_000)
            .flatMap { [bytes[$0], bytes[$0 + 9_999]] }
    }

    private static let style = String(repeating: "p { color: red }\n", count: 200)

    private func serve(
        faults: FaultPlan? = nil,
        _ body: @Sendable (TestServer, TemporaryFolder) async throws -> Void
    ) async throws {
        let directory = TemporaryFolder()
        let outside = TemporaryFolder()
        try outside.write("outside.txt", "outside")
        try directory.write("index.html", Self.page)
        try directory.write("app.js", "export 1")
        try directory.write("app.3f9a2c1d.js", "export 1")
        try directory.write("a b.txt", "spaced")
        try directory.write("digits.txt", "0123456789")
        try directory.write("pixel.png", [1, 2, 3])
        try directory.write("pages/index.html", "sub page")
        try directory.write("empty/x.txt", "x")
        try directory.write(".secret", "hidden")
        try directory.write("long.css", Self.style)
        try directory.link("leaving.txt", to: "\(outside.path)/outside.txt")
        try directory.link("absolute.txt", to: "/etc/passwd")
        try directory.link("staying.txt", to: "a b.txt")
        let files = try StaticDirectory(directory.path)
        try await TestServer.run(faults: faults, handler: { _ in FileHandler(files) }) { server in
            try await body(server, directory)
        }
        withExtendedLifetime(outside) {}
    }
}

private final class FileHandler: RequestHandler {
    private let files: StaticFiles

    init(_ directory: StaticDirectory) {
        files = StaticFiles(directory)
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        files.respond(to: request.head, in: bytes, exchange: request.exchange, on: loop)
    }
}
