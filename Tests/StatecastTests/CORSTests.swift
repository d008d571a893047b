import Counter
import CounterModel
import Foundation
import HTTPMessages
import HTTPServer
import Sockets
import StatecastTesting
import TemporaryFolder
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A server shared with other origins` {
    private static let app = "https://app.example"
    private static let exposed = "ETag, Location, Retry-After, Idempotency-Replayed, Link, Date"

    /// Serves a counter with the session `demo`, pages, and access control that refuses `/secret`.
    private func withServer(
        _ cors: CORS?, loopCount: Int = 1, _ body: @Sendable (TestServer) throws -> Void
    ) async throws {
        let place = try TemporaryFolder(["page.txt": "a page"])
        var configuration = TestServer.configuration
        configuration.cors = cors
        configuration.loopCount = loopCount
        configuration.publicDirectory = place.path
        configuration.limits.bodyByteCount = 1000
        configuration.sessionLimits.watcherCount = 0
        configuration.authorizesPages = true
        configuration.authorize = { request in
            request.path.hasPrefix("/secret")
                ? request.authorization == nil ? .unauthenticated : .forbidden
                : .granted(Principal("all", roles: ["act", "admin", "observe"]))
        }
        configuration.logger.logLevel = .critical
        try await TestServer.run(
            configuration,
            serving: {
                Served("/counter", CounterApplication())
                Route(.get, "/own") { _ in RouteResponse(.ok, body: [0x61]) }
                Route(.post, "/own", bodyLimit: 10) { _ in RouteResponse(.ok) }
                Route(.get, "/failing") { _ in throw CancellationError() }
                Route(.get, "/rejecting") { _ in
                    throw Rejection("taken", "It is taken.", kind: .conflict)
                }
                Route(.get, "/leading") { _ in .redirect(to: "/own") }
            }
        ) { server in
            try server.create("/counter/sessions/demo")
            try body(server)
        }
    }

    /// A request whose answer has this status: its line, its fields, its body.
    private struct Case: Sendable {
        var line: String
        var status: Int
        var fields = ""
        var body = ""
    }

    private static let json = "Content-Type: application/json\r\n"

    /// The resources of a path, with a request for each that ends by itself. A new kind does not
    /// compile without a row here.
    private static func cases(_ resource: RequestedResource) -> [Case] {
        let session = "/counter/sessions/demo"
        switch resource {
        case .sessions:
            return [
                Case(line: "POST /counter/sessions", status: 201),
                Case(line: "GET /counter/sessions", status: 200),
            ]
        case .schema:
            return [Case(line: "GET /counter/schema", status: 200)]
        case .replays:
            return [Case(line: "POST /counter/sessions?replay=instant", status: 403)]
        case .description:
            return [
                Case(line: "GET \(session)", status: 200),
                Case(line: "HEAD \(session)", status: 200),
                Case(line: "PUT /counter/sessions/new", status: 201),
                Case(line: "DELETE /counter/sessions/new", status: 204),
                Case(line: "GET /counter/sessions/new", status: 410),
                Case(line: "GET /counter/sessions/missing", status: 404),
                Case(line: "OPTIONS \(session)", status: 204),
                Case(line: "PUT \(session)", status: 412, fields: "If-None-Match: *\r\n"),
            ]
        case .state:
            return [
                Case(line: "GET \(session)/state", status: 200),
                Case(line: "HEAD \(session)/state", status: 200),
                Case(line: "GET \(session)/state", status: 304, fields: "If-None-Match: *\r\n"),
                Case(line: "GET \(session)/state?wait=x", status: 400),
                Case(line: "GET \(session)/state?select=/nothing", status: 404),
                Case(line: "POST \(session)/state", status: 405),
                Case(line: "PUT \(session)/state", status: 415),
                Case(line: "GET \(session)/state?version=99", status: 404),
            ]
        case .log:
            return [
                // All are granted, and nobody has a role.
                Case(line: "GET \(session)/log", status: 403),
                Case(line: "HEAD \(session)/log", status: 403),
            ]
        case .recording:
            return [Case(line: "GET \(session)/recording", status: 403)]
        case .replay:
            return [
                Case(line: "GET \(session)/replay", status: 403),
                Case(line: "POST \(session)/replay", status: 403),
            ]
        case .forget: return [Case(line: "POST \(session)/forget", status: 415)]
        case .revert: return [Case(line: "POST \(session)/revert", status: 415)]
        case .move: return [Case(line: "POST \(session)/move", status: 415)]
        case .drain: return [Case(line: "POST /cluster/drain", status: 404)]
        case .actions: return actionCases
        // No watcher has room: these are `busy`.
        case .events:
            return [
                Case(line: "GET \(session)/events", status: 200),
                Case(line: "GET \(session)/events?compression=gzip", status: 200),
                Case(line: "HEAD \(session)/events", status: 200),
            ]
        case .unknown: return [Case(line: "GET \(session)/other", status: 404)]
        case .alive: return [Case(line: "GET /livez", status: 200)]
        case .ready: return [Case(line: "GET /readyz", status: 200)]
        case .metrics: return [Case(line: "GET /metrics", status: 403)]
        case .problem: return [Case(line: "GET /problems/frozen", status: 200)]
        case .own: return ownCases
        case .file: return otherCases
        }
    }

    private static let actionCases: [Case] = [
        Case(
            line: "POST /counter/sessions/demo/actions", status: 200, fields: json,
            body: #"{"type":"incremented","payload":{"by":1}}"#),
        Case(line: "POST /counter/sessions/demo/actions", status: 415, body: "{}"),
        Case(line: "POST /counter/sessions/demo/actions", status: 400, fields: json, body: "{"),
        Case(
            line: "POST /counter/sessions/demo/actions", status: 422, fields: json,
            body: #"{"type":"x"}"#),
        Case(
            line: "POST /counter/sessions/demo/actions", status: 412,
            fields: json + "If-Match: \"other\"\r\n", body: #"{"type":"reset"}"#),
        Case(
            line: "POST /counter/sessions/demo/actions", status: 413, fields: json,
            body: String(repeating: " ", count: 1001)),
        Case(
            line: "POST /counter/sessions/demo/actions", status: 400, fields: json,
            body: String(repeating: " ", count: 1000)),
        Case(
            line: "POST /counter/sessions/demo/actions", status: 415,
            fields: json + "Content-Encoding: br\r\n", body: "{}"),
        Case(
            line: "POST /counter/sessions/demo/actions", status: 417,
            fields: json + "Expect: a-wonder\r\n", body: "{}"),
    ]

    private static let ownCases: [Case] = [
        Case(line: "GET /own", status: 200), Case(line: "HEAD /own", status: 200),
        Case(line: "POST /own", status: 200, fields: json, body: "{}"),
        Case(line: "POST /own", status: 415, body: "{}"),
        Case(line: "POST /own", status: 413, fields: json, body: "12345678901"),
        Case(line: "PUT /own", status: 405), Case(line: "OPTIONS /own", status: 204),
        Case(line: "GET /failing", status: 500), Case(line: "GET /rejecting", status: 409),
        Case(line: "GET /leading", status: 303),
    ]

    private static let otherCases: [Case] = [
        Case(line: "GET /page.txt", status: 200), Case(line: "HEAD /page.txt", status: 200),
        Case(line: "GET /page.txt", status: 304, fields: "If-None-Match: *\r\n"),
        Case(line: "GET /page.txt", status: 206, fields: "Range: bytes=0-1\r\n"),
        Case(line: "GET /page.txt", status: 416, fields: "Range: bytes=99-\r\n"),
        Case(line: "GET /page.txt", status: 412, fields: "If-Match: \"x\"\r\n"),
        Case(line: "DELETE /page.txt", status: 405), Case(line: "GET /none", status: 404),
        Case(line: "FOO /page.txt", status: 501), Case(line: "GET /secret", status: 401),
        Case(line: "GET /secret", status: 403, fields: "Authorization: x\r\n"),
        Case(line: "GET /%FF", status: 400), Case(line: "OPTIONS *", status: 204),
        Case(line: "GET /a b", status: 400),
        Case(line: "GET /\(String(repeating: "a", count: 9000))", status: 414),
        Case(
            line: "GET /", status: 431,
            fields: (0..<100).map { "X-\($0): 1\r\n" }.joined()),
    ]

    private static let all = RequestedResource.allCases.flatMap(cases)

    private func answer(
        _ server: TestServer, _ test: Case, _ origin: String?
    ) throws -> RawAnswer {
        let field = origin.map { "Origin: \($0)\r\n" } ?? ""
        let head = "\(test.line) HTTP/1.1\r\nHost: localhost\r\n\(field)\(test.fields)"
        return try RawAnswer(server, head, body: test.body)
    }

    /// The names in Vary, each of which stands once.
    private func vary(_ answer: RawAnswer) -> [String] {
        let names = answer.values("vary").flatMap { line in
            line.split(separator: ",").map { $0.filter { $0 != " " } }
        }
        #expect(Set(names).count == names.count)
        return names
    }

    @Test(arguments: [1, 3])
    func `names the origin of a page in every answer to it`(loopCount: Int) async throws {
        let cors = CORS(origins: ["https://other.example", Self.app], allowsCredentials: true)
        try await withServer(cors, loopCount: loopCount) { server in
            for test in Self.all {
                let answer = try answer(server, test, Self.app)
                let place = Comment(rawValue: "\(test.line.prefix(60)) \(answer)")
                #expect(answer.status == test.status, place)
                #expect(answer.values("access-control-allow-origin") == [Self.app], place)
                #expect(answer.values("access-control-allow-credentials") == ["true"], place)
                #expect(answer.values("access-control-expose-headers") == [Self.exposed], place)
                #expect(answer.values("cross-origin-resource-policy") == ["cross-origin"], place)
                #expect(answer.values("x-content-type-options") == ["nosniff"], place)
                #expect(vary(answer).contains("Origin"), place)
            }
        }
    }

    @Test(arguments: ["https://evil.example", "null", "https://app.example:444", "", nil])
    func `names no origin to the pages of others`(origin: String?) async throws {
        try await withServer(CORS(origins: [Self.app], allowsCredentials: true)) { server in
            for test in Self.all {
                let answer = try answer(server, test, origin)
                let place = Comment(rawValue: "\(test.line.prefix(60)) \(answer)")
                // A route of the application's own is closed to them for GET, too.
                let isOwn = Self.ownCases.contains { $0.line == test.line }
                let mayChange =
                    origin == nil
                    || !isOwn
                        && ["GET", "HEAD", "OPTI", "FOO "].contains(
                            test.line.prefix(4).trimmingCharacters(in: .whitespaces))
                if mayChange { #expect(answer.status != 403 || test.status == 403, place) }
                #expect(answer.fields.allSatisfy { !$0.hasPrefix("access-control-") }, place)
                #expect(answer.values("cross-origin-resource-policy") == ["same-origin"], place)
                #expect(vary(answer).contains("Origin"), place)
            }
        }
    }

    @Test func `is said by no field where it is not shared`() async throws {
        try await withServer(nil) { server in
            for test in Self.all {
                let answer = try answer(server, test, nil)
                let place = Comment(rawValue: "\(test.line.prefix(60)) \(answer)")
                #expect(answer.status == test.status, place)
                #expect(answer.fields.allSatisfy { !$0.hasPrefix("access-control-") }, place)
                #expect(answer.values("cross-origin-resource-policy") == ["same-origin"], place)
                #expect(!vary(answer).contains("Origin"), place)
            }
        }
    }

    @Test func `is open to any page but those in a sandbox where all origins are listed`()
        async throws
    {
        try await withServer(CORS(origins: ["*"])) { server in
            let test = Case(line: "GET /counter/sessions/demo/state", status: 200)
            let any = try answer(server, test, "https://any.example")
            #expect(any.values("access-control-allow-origin") == ["*"])
            #expect(any.values("access-control-allow-credentials") == [])
            let sandbox = try answer(server, test, "null")
            #expect(sandbox.values("access-control-allow-origin") == [])
        }
    }

    @Test func `joins the origin to what else an answer depends on`() async throws {
        try await withServer(CORS(origins: [Self.app])) { server in
            let state = Case(line: "GET /counter/sessions/demo/state", status: 200)
            let long = try answer(server, state, Self.app)
            #expect(Set(vary(long)).isSuperset(of: ["Origin", "Accept-Encoding"]))
            let alive = Case(line: "GET /livez", status: 200)
            let short = try answer(server, alive, Self.app)
            #expect(Set(vary(short)) == ["Authorization", "Cookie", "Origin"])
        }
    }

    @Test(arguments: [
        "/counter/sessions/demo/actions", "/secret", "/nothing", "/counter/sessions/missing",
    ])
    func `answers a browser's question before access control, the same for all paths`(
        path: String
    ) async throws {
        try await withServer(CORS(origins: [Self.app], allowsCredentials: true)) { server in
            let question = Case(
                line: "OPTIONS \(path)", status: 204,
                fields: "Access-Control-Request-Method: POST\r\n"
                    + "Access-Control-Request-Headers: content-type,if-match\r\n")
            let listed = try answer(server, question, Self.app)
            #expect(listed.status == 204)
            #expect(listed.values("access-control-allow-origin") == [Self.app])
            #expect(listed.values("access-control-allow-credentials") == ["true"])
            #expect(
                listed.values("access-control-allow-methods")
                    == ["GET, HEAD, POST, PUT, PATCH, DELETE"])
            #expect(
                listed.values("access-control-allow-headers") == [
                    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, "
                        + "Last-Event-ID, Prefer"
                ])
            #expect(listed.values("access-control-max-age") == ["7200"])
            #expect(listed.values("content-length") == [])
            let other = try answer(server, question, "https://evil.example")
            #expect(other.fields.allSatisfy { !$0.hasPrefix("access-control-") })
            #expect(other.status == (path == "/secret" ? 401 : 204))
        }
    }

    @Test func `answers no question that came by an unknown name`() async throws {
        try await withServer(CORS(origins: [Self.app])) { server in
            let head = """
                OPTIONS / HTTP/1.1\r\nHost: rebound.example\r\nOrigin: \(Self.app)\r
                Access-Control-Request-Method: POST\r\n
                """
            let answer = try RawAnswer(server, head)
            #expect(answer.status == 421)
        }
    }

    @Test(arguments: [
        ("https://app.example", nil), ("http://localhost:5173", nil),
        ("http://[::1]:80801", "port"),
        ("http://[::1]:8080", nil), ("http://[::1]", nil), ("capacitor://localhost", nil),
        ("https://App.example", "lower case"), ("https://app.example/", "no path"),
        ("https://app.example/path", "no path"), ("https://user@app.example", "no path"),
        ("https://app.example?x", "no path"), ("https://app.example:443", "443"),
        ("http://app.example:80", "80"), ("https://app.example:", "port"),
        ("https://app.example:0", "port"), ("https://app.example:0443", "port"),
        ("https://", "host"), ("app.example", "scheme"), ("//app.example", "scheme"),
        ("1https://app.example", "scheme"), ("null", "sandbox"), ("", "scheme"),
        ("https://a b", "no path"), ("https://ä.example", "no path"),
        ("https://a.example\r\nx: y", "port"),
    ])
    func `lists origins as browsers write them`(origin: String, fault: String?) {
        var message: String?
        do throws(ServerError) {
            _ = try CORS(origins: [origin]).makeSharing()
        } catch {
            message = error.description
        }
        #expect((message == nil) == (fault == nil))
        if let fault { #expect(message?.contains(fault) == true, "\(message ?? "")") }
    }

    @Test(arguments: [
        CORS(origins: ["*"], allowsCredentials: true), CORS(origins: []),
        CORS(origins: ["*", "https://app.example"]),
        CORS(origins: (0...250).map { "https://a\($0).example" }),
    ])
    func `does not start with a list that would not do what it says`(cors: CORS) {
        var configuration = TestServer.configuration
        configuration.cors = cors
        #expect(throws: ServerError.self) {
            _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        }
    }

    @Test func `lists as many origins as it may, each told apart`() async throws {
        let origins = (0..<250).map { "https://a\($0).example" }
        try await withServer(CORS(origins: origins)) { server in
            let test = Case(line: "GET /livez", status: 200)
            for origin in [origins[0], origins[9], origins[249]] {
                let answer = try answer(server, test, origin)
                #expect(answer.values("access-control-allow-origin") == [origin])
            }
        }
    }
}
