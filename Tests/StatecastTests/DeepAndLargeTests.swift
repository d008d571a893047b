import HTTPServer
import Logging
import SmallStack
import Sockets
import Statecast
import StatecastTesting
import Testing

/// States of the greatest depth and of 3 MB, on a loop whose thread has a stack of 1 MiB.
@Suite("A state that is deep or large", .onBothJournals)
struct DeepAndLargeTests {
    private static let session = "/growing/sessions/demo"
    private static let largeByteCount = 3_000_000

    private func withServer(
        _ application: GrowingApplication = GrowingApplication(), _ lines: LogLines? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.limits.stackByteCount = SmallStack.byteCount
        configuration.limits.bodyByteCount = Self.largeByteCount + 1_000
        configuration.limits.writeProgressDuration = .seconds(300)
        configuration.sessionLimits.pingDuration = .seconds(300)
        if let lines {
            configuration.logger = Logger(label: "test") { _ in lines.handler }
            configuration.logger.logLevel = .debug
            configuration.checksReducers = true
        }
        try await TestServer.run(
            configuration, serving: { Served("/growing", application) }
        ) { server in
            #expect(try server.create(Self.session).status == 201)
            try await body(server)
        }
    }

    private func json(depth: Int, leaf: Int) -> String {
        String(repeating: "{\"branch\":", count: depth) + "{\"leaf\":\(leaf)}"
            + String(repeating: "}", count: depth)
    }

    @Test func `nests 100 levels, from the start and by an action, on every resource`()
        async throws
    {
        let lines = LogLines()
        var application = GrowingApplication()
        application.initialState.tree = .init(depth: 100, leaf: 0)
        try await withServer(application, lines) { server in
            let before = "{\"tree\":\(json(depth: 100, leaf: 0)),\"text\":\"\"}"
            let after = "{\"tree\":\(json(depth: 100, leaf: 7)),\"text\":\"\"}"
            #expect(try server.send("GET", Self.session + "/state").body == before)
            let events = try server.events(Self.session)
            #expect(try events.next()?.data == before)
            let action = "{\"type\":\"planted\",\"payload\":\(json(depth: 100, leaf: 7))}"
            let answer = try server.post(
                Self.session, action, fields: ["Prefer": "return=representation"])
            #expect(answer.status == 200)
            #expect(answer.body == after)
            #expect(try events.next()?.data == after)
            let pointer = "/tree" + String(repeating: "/branch", count: 100) + "/leaf"
            #expect(
                try server.send("GET", Self.session + "/state?select=\(pointer)").body == "7")
            #expect(try server.send("GET", Self.session + "/state?view=depth").body == "100")
        }
        #expect(lines.text.contains("planted"))
    }

    @Test func `that is too deep to be written is refused, or freezes the session`() async throws {
        try await withServer { server in
            let isRefused = TestJournal.make != nil
            let answer = try server.dispatch(Self.session, "grown", "{\"by\":1000}")
            #expect(answer.status == (isRefused ? 500 : 200))
            let read = try server.send("GET", Self.session + "/state")
            #expect(read.status == (isRefused ? 200 : 423))
            #expect(try server.send("GET", Self.session).status == 200)
            let next = try server.dispatch(Self.session, "grown", "{\"by\":1}")
            #expect(next.status == (isRefused ? 200 : 423))
            #expect(try server.send("GET", "/livez").status == 200)
        }
    }

    @Test(arguments: [130, 10_000, 200_000])
    func `an action that nests deeper than allowed is refused`(depth: Int) async throws {
        try await withServer { server in
            let action = "{\"type\":\"planted\",\"payload\":\(json(depth: depth, leaf: 7))}"
            let answer = try server.post(Self.session, action)
            #expect(answer.status == 400)
            #expect(answer.body.contains("nested-too-deep"))
        }
    }

    @Test func `has 3 MB, from the start and by an action, on every resource`() async throws {
        var application = GrowingApplication()
        application.initialState.text = String(repeating: "a", count: Self.largeByteCount)
        try await withServer(application) { server in
            let state = try server.send("GET", Self.session + "/state")
            #expect(state.status == 200)
            #expect(state.body.utf8.count == Self.largeByteCount + 29)
            let events = try server.events(Self.session)
            #expect(try events.next()?.data == state.body)
            let text = String(repeating: "b", count: Self.largeByteCount)
            let answer = try server.dispatch(Self.session, "written", "\"\(text)\"")
            #expect(answer.status == 200)
            let event = try #require(try events.next())
            #expect(event.data.utf8.count == state.body.utf8.count)
            #expect(event.data.hasSuffix("bbb\"}"))
            let packed = try server.send(
                "GET", Self.session + "/state", fields: ["Accept-Encoding": "gzip"])
            #expect(packed.fields["content-encoding"] == "gzip")
            #expect(packed.status == 200)
        }
    }

    @Test func `of 3 MB, goes to one who reads slowly as it was first and as it is at last`()
        async throws
    {
        try await withServer { server in
            let slow = try server.connect()
            try slow.limitReceiveBuffer(to: 65_536)
            try slow.send("GET \(Self.session)/events HTTP/1.0\r\nHost: localhost\r\n\r\n")
            _ = try slow.receive(until: { bytes in
                String(decoding: bytes, as: UTF8.self).contains("\"text\":\"\"")
            })
            for character in ["a", "b", "c", "d", "e"] {
                let answer = try server.dispatch(
                    Self.session, "filled",
                    "{\"character\":\"\(character)\",\"count\":\(Self.largeByteCount)}")
                #expect(answer.status == 200)
            }
            var tail: [UInt8] = []
            var sizes: [UInt8: Int] = [:]
            while !tail.elementsEqual(Array("ee\"}\n\n".utf8)) {
                let bytes = try slow.receive(limit: 1 << 20, timeout: .seconds(60))
                try #require(!bytes.isEmpty)
                for index in stride(from: 0, to: bytes.count, by: 100) {
                    sizes[bytes[index], default: 0] += 1
                }
                tail = Array((tail + bytes.suffix(6)).suffix(6))
            }
            let sent = "abcde".utf8.filter { sizes[$0, default: 0] > 3_000 }
            #expect(sent.map { Character(UnicodeScalar($0)) } == ["a", "e"])
        }
    }
}
