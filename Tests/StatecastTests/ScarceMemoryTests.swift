import Sockets
import Statecast
import StatecastTesting
import Testing

@Suite(.serialized, .onBothJournals) struct `Where memory is short` {
    /// Bounds what clients may hold, beside what other tests hold.
    private func configuration(_ byteCount: Int) -> ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.limits.memoryByteCount =
            MemoryBudget(limit: 0, loopCount: 1).used + byteCount
        return configuration
    }

    @Test func `no sessions are made, those that are there are served, and DELETE makes room`()
        async throws
    {
        try await TestServer.run(
            configuration(64 * 1024), serving: { Served("/", GrowingApplication()) }
        ) { server in
            var made = 0
            while made < 1_000, try server.send("PUT", "/sessions/s\(made)").status == 201 {
                made += 1
            }
            #expect((16...70).contains(made))
            let refused = try server.send("PUT", "/sessions/more")
            #expect(refused.status == 503)
            #expect(refused.fields["retry-after"] == "5")
            #expect(refused.problem == "short-of-memory")
            #expect(try server.send("POST", "/sessions").status == 503)
            #expect(try server.send("GET", "/sessions/s1/state").status == 200)
            #expect(try server.dispatch("/sessions/s1", "nothing").status == 422)
            for number in 0..<4 {
                #expect(try server.send("DELETE", "/sessions/s\(number)").status == 204)
            }
            #expect(try server.send("PUT", "/sessions/more").status == 201)
        }
    }

    @Test func `the heads of open streams count, as long as access control may be asked again`()
        async throws
    {
        var configuration = configuration(1 << 30)
        configuration.authorize = { _ in .granted(Principal("a", roles: ["inspect", "observe"])) }
        configuration.limits.headByteCount = 64 << 10
        let server = try Server(configuration) { Served("/", GrowingApplication()) }
        try server.start()
        try await server.sessions.create("a", of: GrowingApplication.self)
        try await TestServer.runBlocking {
            let client = TestServer(server)
            let before = try Self.usedByteCount(client)
            let cookie = ["Cookie": String(repeating: "x", count: 20_000)]
            let streams = try (0..<10).map { _ in
                try client.events("/sessions/a", fields: cookie)
            }
            for stream in streams { _ = try stream.next() }
            #expect(try Self.usedByteCount(client) - before > 200_000)
            try await server.sessions.session("a", of: GrowingApplication.self).end()
            for stream in streams { while try stream.next() != nil {} }
            #expect(try Self.usedByteCount(client) - before < 50_000)
        }
        await server.shutDown()
    }

    @Test func `a state that nobody reads counts, and its JSON goes first`() async throws {
        try await TestServer.run(
            configuration(800_000), serving: { Served("/", GrowingApplication()) }
        ) { server in
            let before = try Self.usedByteCount(server)
            try server.create("/sessions/a")
            let text = String(repeating: "x", count: 380_000)
            try server.post("/sessions/a", #"{"type":"written","payload":"\#(text)"}"#)
            _ = try server.send("GET", "/sessions/a/state")
            // The JSON is there at once; the state is counted within a second, and then the JSON
            // has to go.
            for range in [350_000...1_200_000, 350_000...500_000] {
                let end = ContinuousClock.now + .seconds(120)
                var used = 0
                repeat {
                    used = try Self.usedByteCount(server) - before
                } while !range.contains(used) && ContinuousClock.now < end
                #expect(range.contains(used))
            }
            #expect(try server.send("GET", "/sessions/a/state").body.contains(text))
        }
    }

    @Test func `a state of before is refused before it is made`() async throws {
        // A journal has the entries, and not memory.
        guard TestJournal.make == nil else { return }
        try await TestServer.run(
            configuration(6_000_000),
            serving: {
                Served("/", GrowingApplication(), options: SessionOptions(history: .always))
            }
        ) { server in
            let filled = #"{"type":"filled","payload":{"character":"x","count":300000}}"#
            var (count, refusals): (Int, [String?]) = (0, [])
            while refusals.isEmpty, count < 30 {
                count += 1
                let session = "/sessions/s\(count)"
                try server.create(session)
                try server.post(session, filled)
                try server.post(session, #"{"type":"grown","payload":{"by":1}}"#)
                for path in ["state?version=1", "recording"] {
                    let past = try server.send("GET", "\(session)/\(path)")
                    if past.status == 503 { refusals.append(past.problem) }
                }
            }
            #expect(refusals.first == "short-of-memory")
        }
    }

    @Test func `far above the limit only small sessions go on, and no key is remembered`()
        async throws
    {
        try await TestServer.run(
            configuration(30_000), serving: { Served("/", GrowingApplication()) }
        ) { server in
            try server.create("/sessions/small")
            try server.create("/sessions/large")
            let text = String(repeating: "x", count: 30_000)
            let body = #"{"type":"written","payload":"\#(text)"}"#
            #expect(try server.post("/sessions/large", body).status == 200)
            _ = try server.send("GET", "/sessions/large/state")
            let end = ContinuousClock.now + .seconds(120)
            var refused = 200
            while refused == 200, ContinuousClock.now < end {
                refused = try server.dispatch("/sessions/large", "written", #""a""#).status
                if refused == 200 { try server.post("/sessions/large", body) }
            }
            #expect(refused == 503)
            #expect(try server.send("GET", "/sessions/large/state").status == 200)
            #expect(try server.dispatch("/sessions/small", "written", #""a""#).status == 200)
            let keyed = try server.dispatch(
                "/sessions/small", "written", #""b""#, fields: ["Idempotency-Key": "k"])
            #expect(keyed.problem == "short-of-memory")
            #expect(try server.send("DELETE", "/sessions/large").status == 204)
            let again = try server.dispatch(
                "/sessions/small", "written", #""b""#, fields: ["Idempotency-Key": "k"])
            #expect(again.status == 200)
        }
    }

    private static func usedByteCount(_ server: TestServer) throws -> Int {
        let line = try server.send("GET", "/metrics").body.split(separator: "\n").first {
            $0.hasPrefix("statecast_memory_used_bytes ")
        }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
}
