import Logging
import Redux
import Sockets
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

/// What is typed and added, each once more in a list.
private struct Typing: PlainApplication {
    struct State: StateValue { var words: [String] = [] }
    enum Action: ActionGroup { case typed(String), added(String), refused }
    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .typed(let word), .added(let word): state.words.append(word)
        case .refused: throw Rejection("no", "No.")
        }
    }
}

@Suite(.onBothJournals) struct `An action that comes too often` {
    private static let session = "/typing/sessions/demo"

    /// Serves the application to whom a name is enough: `Bearer alice`.
    private static func serve(
        _ rates: RateLimit..., in environment: Environment? = nil,
        changing change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            changing: {
                $0.authorize = { request in
                    let name = request.authorization?.split(separator: " ").last
                    let roles: Set = ["act", "observe", "inspect"]
                    return .granted(Principal(name.map(String.init) ?? "", roles: roles))
                }
                change(&$0)
            },
            serving: {
                Served(
                    "/typing", Typing(), options: SessionOptions(rates: rates),
                    environment: environment)
            }
        ) { server in
            try server.create(session)
            try await body(server)
        }
    }

    private static func post(
        _ types: String..., as name: String = "alice", key: String? = nil,
        to session: String = session, on server: TestServer
    ) throws -> TestAnswer {
        let actions = types.map { type in
            let parts = type.split(separator: " ").map(String.init)
            return parts.count == 1
                ? #"{"type":"\#(type)"}"# : #"{"type":"\#(parts[0])","payload":"\#(parts[1])"}"#
        }
        var fields = ["Authorization": "Bearer \(name)"]
        fields["Idempotency-Key"] = key
        let body = actions.count == 1 ? actions[0] : "[\(actions.joined(separator: ","))]"
        return try server.post(session, body, fields: fields)
    }

    private static func words(_ server: TestServer) throws -> String {
        try server.send("GET", session + "/state?select=/words").body
    }

    /// The counters of actions of one outcome, all together.
    private static func count(_ outcome: String, _ server: TestServer) throws -> Int {
        try server.send("GET", "/metrics").body.split(separator: "\n")
            .filter { $0.contains(#"outcome="\#(outcome)"} "#) }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    @Test func `is refused until there is room, and changes nothing`() async throws {
        try await Self.serve(.atMost(2, per: .seconds(60))) { server in
            #expect(try Self.post("added a", "added b", on: server).status == 200)
            let late = try Self.post("typed c", key: "k", on: server)
            #expect(late.status == 429 && late.fields["retry-after"] == "30")
            #expect(
                late.body == """
                    {"type":"/problems/too-often","title":"Too Many Requests","status":429,\
                    "detail":"At most 2 of all actions in 60.0 seconds are taken from one client."}
                    """)
            // Others have their own, and what is no action has none.
            #expect(try Self.post("typed d", as: "bob", on: server).status == 200)
            #expect(try Self.words(server) == #"["a","b","d"]"#)
            await server.advance(by: .seconds(31))
            // The key is free.
            #expect(try Self.post("typed c", key: "k", on: server).status == 200)
            #expect(try Self.words(server) == #"["a","b","d","c"]"#)
            #expect(try Self.count("limited", server) == 1)
        }
    }

    @Test func `is counted once under its key, and also where it is rejected`() async throws {
        try await Self.serve(
            .atMost(2, per: .seconds(60), of: "added"), .atMost(1, per: .seconds(9), of: "refused")
        ) { server async throws in
            for _ in 0..<5 {
                #expect(try Self.post("added a", key: "k", on: server).status == 200)
            }
            #expect(try Self.post("added b", "added c", on: server).status == 429)
            #expect(try Self.post("added b", "added c", "added d", on: server).status == 413)
            #expect(try Self.post("added b", "typed c", on: server).status == 200)
            #expect(try Self.post("added d", on: server).status == 429)
            #expect(try Self.post("refused", on: server).status == 422)
            #expect(try Self.post("refused", on: server).status == 429)
            #expect(try Self.words(server) == #"["a","b","c"]"#)
        }
    }

    @Test func `is one also where it cannot be read, and where there are far too many`()
        async throws
    {
        try await Self.serve(.atMost(3, per: .seconds(60))) { server async throws in
            for _ in 0..<3 { #expect(try Self.post("unheard", on: server).status == 422) }
            #expect(try Self.post("added a", on: server).status == 429)
            #expect(try Self.post("unheard", on: server).status == 429)
            let body =
                "[\(Array(repeating: #"{"type":"refused"}"#, count: 4).joined(separator: ","))]"
            let fields = ["Authorization": "Bearer bob"]
            #expect(try server.post(Self.session, body, fields: fields).status == 413)
            #expect(try server.post(Self.session, body, fields: fields).status == 429)
            #expect(try Self.post("added b", as: "carol", on: server).status == 200)
        }
    }

    @Test func `waits apart from those of a client with the same print`() throws {
        let options = SessionOptions<Typing.State, Typing.Action>(
            rates: [.newest(every: .seconds(1), of: "typed")])
        let coder = try ActionCoder<Typing.Action>()
        let keys = [Principal("alice"), Principal("bob"), Principal(""), nil].compactMap {
            principal -> String? in
            let incoming = Incoming(
                origin: .client, by: principal, at: Timestamp(milliseconds: 0))
            let verdict = options.newest(coder).first?.intercept?(
                .typed("a"), Typing.State(), incoming)
            guard case .passOnce(_, let key) = verdict else { return nil }
            return key
        }
        #expect(keys.count == 4 && Set(keys).count == 3)
    }

    @Test func `is not so where the server's own code says it`() async throws {
        try await Self.serve(
            .atMost(1, per: .seconds(60)), .newest(every: .seconds(60), of: "typed")
        ) { server in
            let session = try server.sessions.session("demo", of: Typing.self)
            for word in ["a", "b", "c"] { try await session.dispatch(.typed(word)) }
            #expect(try Self.words(server) == #"["a","b","c"]"#)
        }
    }

    @Test func `is so for all clients of an operator's server, or of a session`() async throws {
        let change: @Sendable (inout ServerConfiguration) -> Void = {
            $0.sessionLimits.clientActionsPerSecond = 2
            $0.sessionLimits.sessionActionsPerSecond = 2
            $0.loopCount = 2
        }
        try await Self.serve(changing: change) { server in
            let other = "/typing/sessions/other"
            try server.create(other)
            #expect(try Self.post("added a", "added b", on: server).status == 200)
            let crowd = try Self.post("added c", "added d", as: "bob", on: server)
            #expect(crowd.status == 429 && crowd.body.contains("for one session"))
            let late = try Self.post("added e", "added f", to: other, on: server)
            #expect(late.status == 429 && late.fields["retry-after"] == "1")
            #expect(late.body.contains("from one client"))
            #expect(
                try Self.post("added g", "added h", as: "bob", to: other, on: server).status == 200)
        }
    }

    @Test func `waits as the newest of its type, and the others are dropped`() async throws {
        let clock = ManualClock()
        try await Self.serve(
            .newest(every: .seconds(60), of: "typed"), in: clock.environment()
        ) { server in
            #expect(try Self.post("typed a", on: server).status == 200)
            let late = try Self.post("typed b", key: "k", on: server)
            #expect(late.status == 202)
            #expect(late.body.contains(#""version":1,"#))
            #expect(late.body.contains(#""changed":false,"delayed":true"#))
            #expect(try Self.post("typed c", key: "k2", on: server).status == 202)
            // Other types and clients have places of their own.
            let mixed = try Self.post("added x", "typed d", "typed e", on: server)
            #expect(mixed.status == 200 && mixed.body.contains(#""delayed":true"#))
            #expect(try Self.post("typed f", as: "bob", on: server).status == 200)
            #expect(try Self.post("typed g", as: "bob", on: server).status == 202)
            #expect(try Self.words(server) == #"["a","x","f"]"#)
            let events = try server.events(Self.session)
            _ = try events.next()
            clock.advance(by: .seconds(60))
            let last = try events.next { $0.data.contains("e") && $0.data.contains("g") }
            #expect(last != nil && !Self.isShown(["b", "c", "d"], in: last?.data ?? ""))
            #expect(try Self.count("delayed", server) == 5)
            #expect(try Self.count("dropped", server) == 3)
        }
    }

    @Test func `waits alone of all that came, and its sender is answered before`() async throws {
        let clock = ManualClock()
        try await Self.serve(
            .newest(every: .seconds(60), of: "typed"), in: clock.environment()
        ) { server in
            let flood = Array(repeating: #"{"type":"typed","payload":"x"}"#, count: 500)
            let body = "[\(flood.joined(separator: ","))]"
            for _ in 0..<2 {
                #expect(
                    try server.post(
                        Self.session, body, fields: ["Authorization": "Bearer alice"]
                    ).isSuccess)
            }
            #expect(try Self.count("delayed", server) == 999)
            #expect(try Self.count("dropped", server) == 998)
            // Nobody waits for it, whatever the client would like.
            let late = try server.post(
                Self.session, #"{"type":"typed","payload":"y"}"#, query: "?settle=20",
                fields: [
                    "Authorization": "Bearer alice", "Prefer": "return=representation",
                ])
            #expect(late.status == 202 && late.body == #"{"words":["x"]}"#)
            let events = try server.events(Self.session)
            _ = try events.next()
            clock.advance(by: .seconds(60))
            #expect(try events.next()?.data == #"{"words":["x","y"]}"#)
        }
    }

    @Test func `is told of in the log, with its sender`() async throws {
        let lines = LogLines()
        try await Self.serve(
            .atMost(1, per: .seconds(60)),
            changing: { $0.logger = Logger(label: "test") { _ in lines.handler } }
        ) { server in
            for _ in 0..<3 { _ = try Self.post("added a", on: server) }
            // Nobody's, but of an address.
            for _ in 0..<2 {
                try server.post(Self.session, #"{"type":"added","payload":"a"}"#)
            }
            let told = lines.all.filter { $0.contains("was refused") }
            let rate = "At most 1 of all actions in 60.0 seconds are taken from one client."
            #expect(
                told == [
                    #"notice "alice" was refused: \#(rate)"#,
                    #"notice "alice" was refused: \#(rate)"#,
                    "notice 127.0.0.0/24 was refused: \(rate)",
                ])
        }
    }

    @Test func `is answered the later the more of its client's wait`() async throws {
        try await Self.serve(.atMost(1, per: .seconds(3_600))) { server in
            #expect(try Self.post("added a", on: server).status == 200)
            let body = #"{"type":"added","payload":"b"}"#
            let head = "POST \(Self.session)/actions HTTP/1.1\r\nHost: localhost\r\n"
            let rest =
                "Authorization: Bearer alice\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            let all = try (0..<300).map { _ in
                let connection = try server.connect()
                try connection.send(head + rest)
                return connection
            }
            // Those of a second are due, and the last after three.
            await server.advance(by: .seconds(1))
            #expect(try !all[0].receive().isEmpty)
            #expect(throws: SystemError.self) {
                try all[299].receive(timeout: .milliseconds(1))
            }
            await server.advance(by: .seconds(4))
            #expect(try !all[299].receive().isEmpty)
        }
    }

    private static func isShown(_ words: [String], in data: String) -> Bool {
        words.contains { data.contains("\"\($0)\"") }
    }

    @Test(
        arguments: [
            [.atMost(1, per: .zero)], [.atMost(1, per: .seconds(1), of: "sung")],
            [.newest(every: .seconds(1), of: "typed"), .newest(every: .seconds(2), of: "typed")],
        ] as [[RateLimit]])
    func `is none where a rate means nothing: the server does not start`(rates: [RateLimit]) {
        #expect(throws: ServerError.self) {
            try Server(TestServer.configuration) {
                Served("/typing", Typing(), options: SessionOptions(rates: rates))
            }
        }
    }
}
