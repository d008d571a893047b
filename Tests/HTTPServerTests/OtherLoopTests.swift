import HTTPMessages
@testable import HTTPServer
import Sockets
import TemporaryFolder
import Testing

@Suite struct OtherLoopTests {
    @Test func `requests for several loops are answered in order`() async throws {
        try await TestServer.run(loops: 3) { server in
            let client = try server.connect()
            let order = [0, 1, 2, 1, 0, 2, 2, 1, 0, 1]
            try client.send(
                order.map { Request.get("/loop/\($0)") }.joined()
                    + Request.get("/end", close: true))
            let answers = text(try client.receiveAll()).split(separator: "\r\n\r\n").dropFirst()
            #expect(answers.dropLast().map { String($0.prefix(1)) } == order.map { "\($0)" })
            #expect(answers.last == "GET /end")
        }
    }

    @Test func `a connection moves to the loop that it keeps asking for`() async throws {
        try await TestServer.run(loops: 2) { server in
            let client = try server.connect()
            // Whichever loop has accepted it, one of the two is another one.
            for target in [0, 1] {
                var places: [Substring] = []
                for _ in 0..<12 {
                    try client.send(Request.get("/loop/\(target)"))
                    let answer = try client.receive {
                        text($0).hasSuffix("e") || text($0).hasSuffix("d")
                    }
                    places.append(text(answer).split(separator: " ").last ?? "")
                }
                #expect(places.last == "here")
                #expect(places.count { $0 == "forwarded" } == (places[0] == "here" ? 0 : 8))
            }
        }
    }

    @Test func `many connections follow what they ask for, under load`() async throws {
        try await TestServer.run(loops: 3) { server in
            try await withThrowingTaskGroup { group in
                for number in 0..<24 {
                    group.addTask {
                        let client = try server.connect()
                        for turn in 0..<4 {
                            let target = (number + turn) % 3
                            var last = ""
                            for _ in 0..<40 {
                                try client.send(Request.get("/loop/\(target)"))
                                last = text(
                                    try client.receive {
                                        text($0).hasSuffix("e") || text($0).hasSuffix("d")
                                    })
                                #expect(last.contains("\r\n\r\n\(target) "))
                            }
                            #expect(last.hasSuffix("\(target) here"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await server.awaitConnections { $0 <= 0 }
        }
    }

    @Test func `a stream starts on its own loop, with the requests before it answered`()
        async throws
    {
        try await TestServer.run(loops: 2) { server in
            for target in [0, 1] {
                let client = try server.connect()
                try client.send(
                    Request.get("/a") + Request.get("/loop/\(1 - target)")
                        + Request.get("/loop/\(target)/stream"))
                let answer = try client.receive(upTo: "hello on \(target)\n")
                #expect(statuses(answer) == ["200", "200", "200"])
            }
        }
    }

    @Test func `a request in chunks moves with its connection`() async throws {
        try await TestServer.run(loops: 2) { server in
            for target in [0, 1] {
                let client = try server.connect()
                try client.send(
                    Request.make("POST", "/loop/\(target)/stream", ["Transfer-Encoding: chunked"])
                        + "3\r\nabc\r\n")
                try client.send("0\r\n\r\n")
                #expect(try client.receive(upTo: "hello on \(target)").contains("200 OK"))
            }
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `a large file is answered from another loop`(method: String) async throws {
        let directory = TemporaryFolder()
        let content = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
        try directory.write("0.bin", content)
        try directory.write("1.bin", content)
        let files = try StaticDirectory(directory.path)
        let handler: WebServer.HandlerFactory = { _ in FileHandler(files) }
        try await TestServer.run(loops: 2, handler: handler) { server in
            for target in [0, 1] {
                let client = try server.connect()
                try client.send(
                    Request.make(method, "/\(target).bin", [])
                        + Request.get("/\(1 - target).bin", close: true, "Range: bytes=-9"))
                let answers = text(try client.receiveAll())
                #expect(statuses(answers) == ["200", "206"])
                #expect(answers.utf8.count > (method == "GET" ? content.count : 0))
                #expect(answers.hasSuffix("\r\n\r\nxxxxxxxxx"))
            }
        }
    }

    @Test func `the loop that answers is told when the client goes`() async throws {
        try await TestServer.run(loops: 2) { server in
            for target in [0, 1] {
                let client = try server.connect()
                try client.send(Request.get("/loop/\(target)/hold"))
                await server.journal.wait(for: "held", count: target + 1)
                try client.resetOnClose()
            }
            await server.journal.wait(for: "client gone", count: 2)
        }
    }

    @Test func `held requests of other loops are answered later`() async throws {
        try await TestServer.run(loops: 2) { server in
            for target in [0, 1] {
                let client = try server.connect()
                try client.send(Request.get("/loop/\(target)/hold"))
                await server.journal.wait(for: "held", count: target + 1)
                _ = try server.exchange(Request.get("/loop/\(target)/release", close: true))
                #expect(try client.receive(to: "released").hasPrefix("HTTP/1.1 200"))
            }
        }
    }
}

/// Files, each on the loop that its name begins with.
private final class FileHandler: RequestHandler {
    private let files: StaticFiles

    init(_ directory: StaticDirectory) {
        files = StaticFiles(directory)
    }

    func plan(
        _ head: RequestHead, in bytes: Span<UInt8>, from address: IPAddress, nonce: UInt64,
        serial: UInt64
    ) -> RequestPlan {
        var plan = RequestPlan()
        let isOther = head.path.string(in: bytes).hasPrefix("/1")
        plan.destination = LoopDestination(loopIndex: isOther ? 1 : 0)
        return plan
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        files.respond(to: request.head, in: bytes, exchange: request.exchange, on: loop)
    }
}
