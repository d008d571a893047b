import Counter
import CounterModel
import Foundation
import Gzip
import Logging
import StatecastTesting
import Sockets
import Synchronization
import TemporaryFolder
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A route` {
    private struct Mail: Codable { var subject: String, size: Int }

    /// Serves routes beside a counter.
    private func withServer(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        @ServerBuilder serving routes: () -> [ServerPart],
        body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let parts = routes()
        try await TestServer.run(
            changing: change,
            serving: {
                Served("/counter", CounterApplication())
                parts
            }, body: body)
    }

    /// Tells what it was asked: method, path, parameters, query, body.
    private func echo(
        _ method: HTTPRequest.Method, _ path: String, accepting: [String] = ["*/*"],
        bodyLimit: Int = 1 << 20, callers: Route.Callers = .ownOrigin,
        access: Route.Access = .authorized
    ) -> Route {
        Route(
            method, path, bodyLimit: bodyLimit, accepting: accepting, callers: callers,
            access: access
        ) { request in
            let parameters = request.parameters.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            let query = request.query.map { "\($0.name)=\($0.value)" }
            let parts = [
                "\(request.head.method)", request.head.path ?? "",
                parameters.joined(separator: "&"),
                query.joined(separator: "&"),
                String(decoding: request.body.prefix(100), as: UTF8.self),
                "\(request.body.count)", request.principal?.id ?? "-",
                request.head.headerFields[.cookie] ?? "-",
            ]
            return RouteResponse(
                .ok, headerFields: [.contentType: "text/plain"],
                body: Array(parts.joined(separator: " | ").utf8))
        }
    }

    // MARK: Paths and methods

    @Test(arguments: [1, 3])
    func `answers with its parameters, its query and its body`(loopCount: Int) async throws {
        try await withServer {
            $0.loopCount = loopCount
        } serving: {
            echo(.post, "/hooks/{name}")
            echo(.get, "/hooks/{name}")
        } body: { server async throws in
            for _ in 0..<6 {
                let posted = try server.send(
                    "POST", "/hooks/a%20b?x=1&y=%C3%A4&x=2", fields: ["Content-Type": "a/b"],
                    body: "hello")
                #expect(posted.status == 200)
                #expect(
                    posted.body == "POST | /hooks/a%20b?x=1&y=%C3%A4&x=2 | name=a b | "
                        + "x=1&y=ä&x=2 | hello | 5 | - | -")
            }
            let got = try server.send("GET", "/hooks/m")
            #expect(got.body == "GET | /hooks/m | name=m |  |  | 0 | - | -")
        }
    }

    @Test(
        arguments: [
            ("GET /one", 200, nil), ("HEAD /one", 200, nil),
            ("OPTIONS /one", 204, "GET, HEAD, OPTIONS"),
            ("POST /one", 405, "GET, HEAD, OPTIONS"), ("DELETE /one", 405, "GET, HEAD, OPTIONS"),
            ("PUT /two/x", 200, nil), ("PATCH /two/x", 200, nil), ("DELETE /two/x", 200, nil),
            ("GET /two/x", 405, "PUT, PATCH, DELETE, OPTIONS"),
            ("OPTIONS /two/x", 204, "PUT, PATCH, DELETE, OPTIONS"), ("FOO /one", 501, nil),
            ("GET /one/", 404, nil), ("GET /two", 404, nil),
            ("GET /two/..", 405, "PUT, PATCH, DELETE, OPTIONS"), ("PUT /two/..", 400, nil),
            ("GET /livez", 200, nil),
        ] as [(String, Int, String?)])
    func `has its methods and no others`(
        line: String, status: Int, allow: String?
    ) async throws {
        try await withServer(serving: {
            echo(.get, "/one")
            echo(.put, "/two/{x}")
            echo(.patch, "/two/{x}")
            echo(.delete, "/two/{x}")
        }) { server async throws in
            let words = line.split(separator: " ").map(String.init)
            let answer = try server.send(words[0], words[1])
            #expect(answer.status == status)
            #expect(answer.fields["allow"] == allow)
            #expect(answer.fields["x-content-type-options"] == "nosniff")
        }
    }

    @Test func `comes before a file, and behind what the server has itself`() async throws {
        let place = try TemporaryFolder(["page": "a file", "other": "a file"])
        try await withServer {
            $0.publicDirectory = place.path
        } serving: {
            echo(.get, "/page")
            echo(.get, "/{a}/{b}")
            echo(.get, "/{a}/{b}/{c}")
        } body: { server async throws in
            #expect(try server.send("GET", "/page").body.hasPrefix("GET | /page"))
            #expect(try server.send("GET", "/livez").body == #"{"status":"alive"}"#)
            #expect(
                try server.send("GET", "/problems/frozen").fields["content-type"]?
                    .hasPrefix("text/html") == true)
            #expect(try server.send("POST", "/counter/sessions").status == 201)
        }
        try await withServer {
            $0.publicDirectory = place.path
        } serving: {
            echo(.get, "/page")
        } body: { server async throws in
            #expect(try server.send("GET", "/other").body == "a file")
        }
    }

    @Test(arguments: [
        ("/a/", "a path is"), ("/{a}/{a}", "a path is"), ("/a%20b", "a path is"),
        ("/counter/sessions", "/counter/sessions is"), ("/counter/sessions/{id}", "sessions is"),
        ("/counter/schema", "/counter/schema is"), ("/livez", "/livez is"),
        ("/readyz/x", "/readyz is"), ("/metrics", "/metrics is"),
        ("/problems/{code}", "/problems is"), ("/client/x.js", "/client is"),
        ("/counter", "an application"), ("/{a}", "an application"), ("/twice", "two routes"),
        ("/x/{other}", "/x/{one}"),
    ])
    func `is refused at start where it could not be asked for`(path: String, reason: String) {
        var message = ""
        do {
            _ = try Server(TestServer.configuration) {
                Served("/counter", CounterApplication())
                echo(.get, "/twice")
                echo(.get, "/x/{one}")
                echo(.get, path)
            }
        } catch {
            message = "\(error)"
        }
        #expect(message.contains(reason), "\(message)")
        #expect(message.hasPrefix("GET \(path): "))
    }

    @Test func `is refused at start with a method, a media type or a size that is none`() {
        let routes = [
            echo(.options, "/a"), echo(.head, "/a"), echo(.connect, "/a"),
            Route(.post, "/a", accepting: ["json"]) { _ in RouteResponse(.ok) },
            Route(.post, "/a", accepting: ["a/b c"]) { _ in RouteResponse(.ok) },
            Route(.post, "/a", bodyLimit: -1) { _ in RouteResponse(.ok) },
        ]
        for route in routes {
            #expect(throws: ServerError.self) {
                _ = try Server(TestServer.configuration) { route }
            }
        }
    }

    // MARK: Bodies

    @Test(arguments: [
        ("application/json", "x", 200), ("application/json; charset=utf-8", "x", 200),
        ("APPLICATION/JSON", "x", 200), ("image/png", "x", 200), ("image/", "x", 415),
        ("imagepng", "x", 415), ("text/plain", "x", 415), ("", "x", 415), ("", "", 200),
        ("application/jsonx", "x", 415),
    ])
    func `takes bodies of its media types`(type: String, body: String, status: Int) async throws {
        try await withServer(serving: {
            echo(.post, "/in", accepting: ["application/json", "image/*"])
        }) { server async throws in
            let answer = try server.send(
                "POST", "/in", fields: type.isEmpty ? [:] : ["Content-Type": type], body: body)
            #expect(answer.status == status)
            if status == 415 {
                #expect(answer.problem == "media-type-not-accepted")
                #expect(answer.fields["accept"] == "application/json, image/*")
            }
        }
    }

    @Test(arguments: [("/small", 100), ("/large", 5000), ("/none", 0)])
    func `has a bound of its own for bodies, smaller or larger than the server's`(
        path: String, limit: Int
    ) async throws {
        try await withServer {
            $0.limits.bodyByteCount = 1000
        } serving: {
            echo(.post, "/small", bodyLimit: 100)
            echo(.post, "/large", bodyLimit: 5000)
            echo(.post, "/none", bodyLimit: 0)
        } body: { server async throws in
            for excess in [0, 1] {
                let text = String(repeating: "a", count: limit + excess)
                let plain = try server.send("POST", path, body: text)
                let head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                let connection = try server.connect()
                let size = String(text.utf8.count, radix: 16)
                let chunk = text.isEmpty ? "" : "\(size)\r\n\(text)\r\n"
                try connection.send(
                    "\(head)Transfer-Encoding: chunked\r\n\r\n\(chunk)0\r\n\r\n")
                let chunked = RawAnswer(try connection.receiveAll())
                let coded = gzip(Array(text.utf8).span, level: 6)
                let packing = try server.connect()
                try packing.send(
                    "\(head)Content-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n")
                try packing.send(coded)
                let packed = RawAnswer(try packing.receiveAll())
                let status = excess == 0 ? 200 : 413
                #expect(plain.status == status)
                #expect(chunked.status == status)
                #expect(packed.status == (limit < coded.count ? 413 : status))
                if excess == 1 {
                    #expect(plain.body.contains("\"limit\":\(limit)"))
                    #expect(plain.problem == "body-too-large")
                }
                if excess == 0, packed.status == 200 {
                    #expect(packed.body.contains(" | \(limit) | "))
                }
            }
            let other = String(repeating: " ", count: 1001)
            try server.create("/counter/sessions/a")
            #expect(try server.post("/counter/sessions/a", other).status == 413)
        }
    }

    @Test func `is not asked about a body that it would refuse`() async throws {
        try await withServer(serving: {
            echo(.post, "/in", accepting: ["application/json"], bodyLimit: 10)
        }) { server async throws in
            func interim(_ fields: String) throws -> Int {
                let connection = try server.connect()
                try connection.send(
                    "POST /in HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\(fields)\r\n")
                return RawAnswer(try connection.receive()).status
            }
            let json = "Content-Type: application/json\r\n"
            #expect(try interim("\(json)Content-Length: 10\r\n") == 100)
            #expect(try interim("\(json)Content-Length: 11\r\n") == 413)
            #expect(try interim("Content-Type: a/b\r\nContent-Length: 10\r\n") == 415)
        }
    }

    @Test func `never runs for a body that does not come whole`() async throws {
        let count = Mutex(0)
        try await withServer(serving: {
            Route(.post, "/in") { _ in
                count.withLock { $0 += 1 }
                return RouteResponse(.noContent)
            }
        }) { server async throws in
            let head = "POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            for part in [
                "Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
            ] {
                let connection = try server.connect()
                try connection.send(head + part)
                try connection.shutdownWrite()
                #expect(try connection.receiveAll() == [])
            }
            #expect(try server.send("GET", "/livez").status == 200)
        }
        #expect(count.withLock { $0 } == 0)
    }

    @Test func `decodes JSON, and tells a client where it is wrong`() async throws {
        try await withServer(serving: {
            Route(.post, "/mail") { request in
                let mail: Mail = try request.decode()
                let prefix = request.queryValue("prefix") ?? ""
                return try .json(["subject": prefix + mail.subject], status: .created)
            }
        }) { server async throws in
            func post(_ body: String) throws -> TestAnswer {
                try server.send(
                    "POST", "/mail?prefix=Re:&prefix=x",
                    fields: ["Content-Type": "application/json"], body: body)
            }
            let made = try post(#"{"subject":"Hi","size":1}"#)
            #expect(made.status == 201)
            #expect(made.body == #"{"subject":"Re:Hi"}"#)
            #expect(made.fields["content-type"] == "application/json")
            let shape = try post(#"{"subject":"Hi","size":"x"}"#)
            #expect(shape.status == 422)
            #expect(shape.problem == "bad-body")
            #expect(shape.body.contains(#""pointer":"/size""#))
            #expect(try post("{").problem == "malformed-json")
            let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
            #expect(try post(deep).problem == "nested-too-deep")
        }
    }

    // MARK: Who calls

    @Test(arguments: [
        (Route.Callers.ownOrigin, Route.Access.authorized, 403), (.ownOrigin, .open, 403),
        (.anywhere, .authorized, 401), (.anywhere, .open, 200),
    ])
    func `of a foreign origin sees no cookie, and is refused unless any page may call`(
        callers: Route.Callers, access: Route.Access, status: Int
    ) async throws {
        try await withServer {
            $0.authorize = { request in
                request.cookie.map { .granted(Principal($0, roles: ["act", "observe"])) }
                    ?? .unauthenticated
            }
        } serving: {
            echo(.post, "/in", callers: callers, access: access)
        } body: { server async throws in
            let fields = ["Cookie": "alice", "X-Signature": "s", "Content-Type": "a/b"]
            let foreign = fields.merging(["Origin": "https://evil.example"]) { $1 }
            let refused = try server.send("POST", "/in", fields: foreign, body: "x")
            #expect(refused.status == status)
            if status == 401 { #expect(refused.fields["www-authenticate"] == "Bearer") }
            if status == 200 { #expect(refused.body.hasSuffix(" | - | -")) }
            let own = try server.send("POST", "/in", fields: fields, body: "x")
            if callers == .ownOrigin {
                let name = if case .open = access { "-" } else { "alice" }
                #expect(own.body.hasSuffix(" | \(name) | alice"))
            } else {
                #expect(own.status == status)
            }
            let rebound = fields.merging(["Host": "evil.example"]) { $1 }
            #expect(try server.send("POST", "/in", fields: rebound, body: "x").status == 421)
        }
    }

    @Test func `is told its principal, or refuses by 401 and 403`() async throws {
        try await withServer {
            $0.authorize = { request in
                switch request.authorization {
                case nil: .unauthenticated
                case "Bearer bob": .forbidden
                default: .granted(Principal("alice", roles: ["act", "observe"]))
                }
            }
        } serving: {
            echo(.get, "/who")
            echo(.get, "/open", access: .open)
        } body: { server async throws in
            #expect(try server.send("GET", "/who").status == 401)
            let bob = ["Authorization": "Bearer bob"]
            #expect(try server.send("GET", "/who", fields: bob).status == 403)
            let alice = ["Authorization": "Bearer alice"]
            #expect(try server.send("GET", "/who", fields: alice).body.hasSuffix(" | alice | -"))
            #expect(try server.send("GET", "/open", fields: alice).body.hasSuffix(" | - | -"))
            #expect(try server.send("GET", "/open").status == 200)
        }
    }
}
