import Counter
import CounterModel
import StateCoding
import Sockets
import StatecastTesting
import Synchronization
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A server` {
    @Test func `does not listen beyond loopback unless somebody decides who may`() throws {
        var configuration = TestServer.configuration
        configuration.host = "0.0.0.0"
        #expect(throws: ServerError.self) {
            _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        }
        configuration.isInsecure = true
        _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        configuration.isInsecure = false
        configuration.authorize = { _ in .forbidden }
        _ = try Server(configuration) { Served("/counter", CounterApplication()) }
    }

    @Test(arguments: ["counter", "", "/counter/", "/a b", "/ä", "/a?b"])
    func `mounts applications at paths only`(path: String) {
        #expect(throws: ServerError.self) {
            _ = try Server(TestServer.configuration) { Served(path, CounterApplication()) }
        }
    }

    @Test func `mounts one application at a path`() {
        #expect(throws: ServerError.self) {
            _ = try Server(TestServer.configuration) {
                Served("/counter", CounterApplication())
                Served("/counter", CounterApplication())
            }
        }
    }

    @Test func `serves several applications, each with its own sessions`() async throws {
        try await TestServer.run(serving: {
            Served("/counter", CounterApplication())
            Served("/other", CounterApplication())
            NotesApplication().served(at: "/")
        }) { server in
            for mount in ["/counter", "/other", ""] {
                try server.create("\(mount)/sessions/demo")
            }
            try server.dispatch("/counter/sessions/demo", "incremented", "{\"by\":2}")
            #expect(try server.send("GET", "/counter/sessions/demo/state").body == "{\"count\":2}")
            #expect(try server.send("GET", "/other/sessions/demo/state").body == "{\"count\":0}")
            #expect(try server.send("GET", "/sessions/demo/state?select=/notes").body == "[]")
            let location = try server.send("POST", "/sessions").fields["location"]
            #expect(location?.hasPrefix("/sessions/") == true)
        }
    }

    @Test func `tells operators how it is`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) { server in
            #expect(try server.send("GET", "/livez").status == 200)
            #expect(try server.send("GET", "/readyz").status == 200)
            #expect(try server.send("POST", "/livez").fields["allow"] == "GET, HEAD, OPTIONS")
            try server.create("/counter/sessions/demo")
            try server.dispatch("/counter/sessions/demo", "reset")
            let metrics = try server.send("GET", "/metrics")
            #expect(metrics.fields["content-type"]?.contains("openmetrics-text") == true)
            #expect(metrics.body.contains("statecast_submissions_total 1\n"))
            #expect(metrics.body.hasSuffix("# EOF\n"))
        }
    }

    @Test func `asks access control by the head of each request`() async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            switch request.authorization {
            case "Bearer writer": .granted(Principal("writer", roles: ["act", "observe"]))
            case "Bearer reader":
                request.isSafe
                    ? .granted(Principal("reader", roles: ["act", "observe"])) : .forbidden
            default: .unauthenticated
            }
        }
        try await TestServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            let path = "/counter/sessions/demo"
            let refused = try server.send("PUT", path)
            #expect(refused.status == 401)
            #expect(refused.fields["www-authenticate"] == "Bearer")
            let reader = ["Authorization": "Bearer reader"]
            #expect(try server.send("PUT", path, fields: reader).status == 403)
            let writer = ["Authorization": "Bearer writer"]
            #expect(try server.send("PUT", path, fields: writer).status == 201)
            #expect(try server.send("GET", path + "/state", fields: reader).status == 200)
        }
    }

    @Test(arguments: [
        ("GET /counter/sessions/demo/state", 200), ("GET /counter/sessions/demo", 200),
        ("PUT /counter/sessions/demo", 200), ("POST /counter/sessions/demo/actions", 415),
        ("GET /nothing", 404), ("GET /livez", 200),
        ("GET /metrics", 200), ("GET /problems/frozen", 200),
        ("HEAD /counter/sessions/demo/events", 200),
        ("OPTIONS /counter/sessions", 204), ("FOO /", 501),
    ])
    func `has browsers take every answer for what it is, and keep it from other origins`(
        line: String, status: Int
    ) async throws {
        try await Demo.counter { demo in
            let words = line.split(separator: " ").map(String.init)
            let answer = try demo.server.send(words[0], words[1])
            #expect(answer.status == status)
            #expect(answer.fields["x-content-type-options"] == "nosniff")
            #expect(answer.fields["cross-origin-resource-policy"] == "same-origin")
        }
    }

    @Test(arguments: [
        ("/admin/x", 403), ("/%61dmin/x", 403), ("/%61%64%6D%69%6e/x", 403), ("/admin%2Fx", 403),
        ("/%E2%86%92/x", 403), ("/x?path=/admin/", 404), ("/admi%FF/x", 400), ("/%C3%28", 400),
    ])
    func `tells access control a path in one spelling`(target: String, status: Int) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            let isOpen = !["/admin/", "/→/"].contains { request.path.hasPrefix($0) }
            return isOpen ? .granted(Principal("all", roles: ["act", "observe"])) : .forbidden
        }
        configuration.authorizesPages = true
        try await TestServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            let answer = try server.send("GET", target)
            #expect(answer.status == status)
        }
    }

    @Test func `keeps as many sessions as it may`() async throws {
        try await TestServer.run(
            changing: { $0.sessionLimits.sessionCount = 2 },
            serving: { Served("/counter", CounterApplication()) }
        ) { server in
            #expect(try server.create("/counter/sessions/a").status == 201)
            #expect(try server.send("POST", "/counter/sessions").status == 201)
            let refused = try server.create("/counter/sessions/b")
            #expect(refused.status == 503)
            #expect(refused.fields["retry-after"] != nil)
            #expect(try server.create("/counter/sessions/a").status == 200)
            #expect(try server.send("DELETE", "/counter/sessions/a").status == 204)
            #expect(try server.create("/counter/sessions/b").status == 201)
        }
    }

    private func make(_ id: Int, from client: String, on server: TestServer) throws -> Int {
        let fields = ["X-Forwarded-For": client]
        return try server.send("PUT", "/counter/sessions/s\(id)", fields: fields).status
    }

    @Test func `leaves sessions for others, whatever one client makes`() async throws {
        var configuration = TestServer.configuration
        configuration.sessionLimits.sessionCount = 40
        configuration.clientAddressField = "x-forwarded-for"
        try await TestServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            for id in 0..<16 {
                let made = try make(id, from: "9.9.9.9, 2001:db8::\(id)", on: server)
                #expect(made == 201)
            }
            #expect(try make(16, from: "2001:db8::ffff", on: server) == 503)
            #expect(try make(0, from: "2001:db8::ffff", on: server) == 200)
            #expect(try make(17, from: "2001:db8:1::1", on: server) == 201)
            #expect(try server.create("/counter/sessions/s18").status == 201)
            try await server.sessions.session("s0", of: CounterApplication.self).end()
            #expect(try make(16, from: "2001:db8::ffff", on: server) == 201)
        }
    }

    @Test func `makes room where sessions were never posted to`() async throws {
        // Those that a journal keeps go to sleep.
        guard TestJournal.make == nil else { return }
        var configuration = TestServer.configuration
        configuration.sessionLimits.sessionCount = 3
        configuration.sessionLimits.unpostedDuration = .milliseconds(1)
        try await TestServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            let names = ["posted", "watched", "idle"].map { "/counter/sessions/\($0)" }
            for name in names { try server.create(name) }
            try server.dispatch(names[0], "incremented", #"{"by":1}"#)
            let events = try server.events(names[1])
            _ = try events.next()
            let tag = try #require(try server.send("GET", names[0] + "/state").fields["etag"])
            var isMade = false
            for _ in 1...100 where !isMade {
                isMade =
                    (try? await server.sessions.create("new", of: CounterApplication.self)) != nil
                guard !isMade else { break }
                _ = try server.send(
                    "GET", names[0] + "/state?wait=0.2", fields: ["If-None-Match": tag])
            }
            #expect(isMade)
            #expect(try server.send("GET", names[0]).status == 200)
            #expect(try server.send("GET", names[1]).status == 200)
            // What was made in its place may go for others as well.
            #expect(try server.send("GET", names[2]).status == 404)
        }
    }

    @Test func `finds every session from every loop`() async throws {
        try await TestServer.run(
            changing: { $0.loopCount = 3 }, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            for index in 0..<24 {
                let session = "/counter/sessions/s\(index)"
                try server.create(session)
                let events = try server.events(session)
                #expect(try events.next()?.data == "{\"count\":0}")
                try server.dispatch(session, "incremented", "{\"by\":\(index + 1)}")
                #expect(try events.next()?.data == "{\"count\":\(index + 1)}")
                #expect(
                    try server.send("GET", session + "/state").body == "{\"count\":\(index + 1)}")
            }
            for _ in 0..<12 {
                let made = try server.send("POST", "/counter/sessions")
                let location = try #require(made.fields["location"])
                #expect(try server.send("GET", location).status == 200)
            }
            #expect(try server.send("GET", "/metrics").body.contains("statecast_requests_total"))
        }
    }

    @Test func `ends its streams when it shuts down, and clients lose nothing`() async throws {
        let server = try Server(TestServer.configuration) {
            Served("/counter", CounterApplication())
        }
        try server.start()
        let client = TestServer(port: server.port)
        try client.create("/counter/sessions/demo")
        let events = try client.events("/counter/sessions/demo")
        #expect(try events.next()?.data == "{\"count\":0}")
        await server.shutDown()
        #expect(try events.next() == nil)
    }

    @Test func `does not open where it is shut down before its parts have begun`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let server = try Server(TestServer.configuration) {
            var part = ServerPart()
            part.begin = { _, _ in
                begin.finish()
                // Whatever is cancelled.
                await Task { for await _ in ended {} }.value
            }
            return [part]
        }
        try server.start()
        for await _ in begun {}
        await server.shutDown()
        end.finish()
        await server.beginning.withLock { $0 }?.value
        let isOpen = server.shared.lifecycle.isReady.load(ordering: .relaxed)
        #expect(!isOpen)
    }
}
