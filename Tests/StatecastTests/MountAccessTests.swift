import Sockets
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `The access of an application` {
    /// Takes those who say a name.
    private static let asking: @Sendable (AccessRequest) -> Access = { request in
        guard let name = request.authorization?.split(separator: " ").last else {
            return .unauthenticated
        }
        if request.method == .delete { return .forbidden }
        return .granted(Principal(String(name), roles: ["act", "observe"]))
    }

    private static func serve(
        asks: Bool = false, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        if asks {
            configuration.authorize = { request in
                request.authorization == "Bearer root"
                    ? .granted(Principal("root", roles: ["act", "observe"])) : .forbidden
            }
        }
        try await TestServer.run(
            configuration,
            serving: {
                Served("/notes", NotesApplication(), access: asking)
                Served("/table", TableApplication())
                Route(.get, "/me", access: .asking(asking)) { request in
                    try .json(request.principal?.id ?? "nobody")
                }
                Route(.get, "/open", access: .open) { _ in try .json("open") }
                Route(.get, "/all") { request in try .json(request.principal?.id ?? "nobody") }
            }, body: body)
    }

    private static func send(
        _ method: String, _ target: String, _ name: String?, on server: TestServer
    ) throws -> TestAnswer {
        let fields = name.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try server.send(method, target, fields: fields)
    }

    @Test(arguments: ["", "/state", "/events", "/unheard"])
    func `is asked about its sessions alone`(path: String) async throws {
        try await Self.serve { server in
            try server.create("/table/sessions/demo")
            let fields = ["Authorization": "Bearer ada"]
            try server.create("/notes/sessions/demo", fields: fields)
            let (own, other) = ("/notes/sessions/demo" + path, "/table/sessions/demo" + path)
            #expect(try Self.send("GET", own, nil, on: server).status == 401)
            let status = try Self.send("HEAD", other, nil, on: server).status
            #expect(status != 401)
            #expect(try Self.send("HEAD", own, "ada", on: server).status == status)
        }
    }

    @Test func `is told the method`() async throws {
        try await Self.serve { server in
            try server.create(
                "/notes/sessions/demo", fields: ["Authorization": "Bearer ada"])
            let answer = try Self.send("DELETE", "/notes/sessions/demo", "ada", on: server)
            #expect(answer.status == 403)
            #expect(try Self.send("POST", "/notes/sessions", nil, on: server).status == 401)
            #expect(try Self.send("POST", "/notes/sessions", "ada", on: server).status == 201)
        }
    }

    @Test func `gives its principals their own roles, and the others those that all have`()
        async throws
    {
        try await Self.serve { server in
            try server.create("/table/sessions/demo")
            try server.create("/notes/sessions/demo", fields: ["Authorization": "Bearer ada"])
            let own = try Self.send("GET", "/notes/sessions/demo", "ada", on: server)
            #expect(own.body.contains(#""you":{"id":"ada","roles":["act","observe"]}"#))
            let other = try Self.send("GET", "/table/sessions/demo", "ada", on: server)
            #expect(
                other.body.contains(
                    #""you":{"id":null,"roles":["act","admin","inspect","observe"]}"#))
        }
    }

    @Test func `is named by Vary for its answers, and for no others`() async throws {
        try await Self.serve { server in
            try server.create("/table/sessions/demo")
            try server.create("/notes/sessions/demo", fields: ["Authorization": "Bearer ada"])
            let session = "/notes/sessions/demo"
            for (method, target, name) in [
                ("GET", session, "ada"), ("GET", session + "/state", "ada"), ("GET", session, nil),
                ("GET", session + "/none", "ada"), ("HEAD", session + "/state", "ada"),
                ("HEAD", session + "/events", "ada"), ("OPTIONS", session, "ada"),
                ("POST", "/notes/sessions", "ada"), ("GET", "/me", "ada"), ("GET", "/me", nil),
            ] {
                let vary = try Self.send(method, target, name, on: server).fields["vary"]
                #expect(vary?.contains("Authorization, Cookie") == true, "\(method) \(target)")
            }
            let stream = try server.events(session, fields: ["Authorization": "Bearer ada"])
            _ = try stream.next()
            #expect(stream.head.contains("Vary: Authorization, Cookie\r\n"))
            for target in ["/table/sessions/demo", "/table/sessions/demo/state", "/open", "/all"] {
                let vary = try Self.send("GET", target, nil, on: server).fields["vary"] ?? ""
                #expect(!vary.contains("Cookie"), "\(target)")
            }
        }
    }

    @Test(arguments: [
        ("PUT", "/notes/sessions/a.1~b", "/notes", "a.1~b"),
        ("GET", "/notes/sessions/a/state?view=x", "/notes", "a"),
        ("POST", "/notes/sessions/a/actions", "/notes", "a"),
        ("GET", "/notes/sessions/a/unheard", "/notes", "a"),
        ("GET", "/notes/sessions/..", "/notes", "none"),
        ("POST", "/notes/sessions", "/notes", "none"),
        ("GET", "/sessions/b/log", "/", "b"), ("GET", "/me", "none", "none"),
        ("GET", "/metrics", "none", "none"), ("GET", "/file", "none", "none"),
    ])
    func `is told the application and the session`(
        method: String, target: String, mount: String, session: String
    ) async throws {
        let asked = Lock("")
        var configuration = TestServer.configuration
        configuration.authorizesPages = true
        configuration.authorize = { request in
            asked.withLock {
                $0 = "\(request.mount ?? "none") \(request.session.map { "\($0)" } ?? "none")"
            }
            return .forbidden
        }
        try await TestServer.run(
            configuration,
            serving: {
                Served("/notes", NotesApplication())
                Served("/", TableApplication())
                Route(.get, "/me") { _ in try .json("me") }
            }
        ) { server in
            let answer = try Self.send(method, target, nil, on: server)
            let told = asked.withLock { $0 }
            #expect(answer.status == 403)
            #expect(told == "\(mount) \(session)")
        }
    }

    @Test func `decides by them about an open stream, too`() async throws {
        let asked = Lock<[String]>([])
        var configuration = TestServer.configuration
        configuration.sessionLimits.accessCheckDuration = .milliseconds(10)
        configuration.authorize = { request in
            guard request.purpose == .openStream else {
                return .granted(Principal("", roles: ["act", "observe"]))
            }
            let subject = "\(request.mount ?? "none") \(request.session.map { "\($0)" } ?? "none")"
            asked.withLock { $0.append(subject) }
            return .forbidden
        }
        try await TestServer.run(
            configuration, serving: { Served("/table", TableApplication()) }
        ) { server in
            try server.create("/table/sessions/demo")
            let stream = try server.events("/table/sessions/demo")
            while let event = try stream.next(), event.name != "unauthorized" {}
            let told = asked.withLock { $0 }
            #expect(told == ["/table demo"])
        }
    }

    @Test func `counts in place of the server's`() async throws {
        try await Self.serve(asks: true) { server in
            for (target, name, status) in [
                ("/notes/sessions/demo", "ada", 201), ("/notes/sessions/demo", nil, 401),
                ("/table/sessions/demo", "ada", 403), ("/table/sessions/demo", "root", 201),
            ] {
                let answer = try Self.send("PUT", target, name, on: server)
                #expect(answer.status == status, "\(target)")
            }
            #expect(try Self.send("GET", "/me", "ada", on: server).body == #""ada""#)
            #expect(try Self.send("GET", "/all", "ada", on: server).status == 403)
            #expect(try Self.send("GET", "/open", nil, on: server).status == 200)
        }
    }
}
