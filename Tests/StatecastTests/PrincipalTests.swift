import Journaling
import StateCoding
import Statecast
import StatecastTesting
import Testing

/// Remembers of each action what its step tells.
private struct WitnessApplication: PlainApplication {
    struct Seen: StateValue {
        var by: String?
        var roles: [String] = []
        var at: Timestamp
        var version: UInt64
        var session: String
        var id: String
    }

    struct State: StateValue {
        var seen: [Seen] = []
        var drawn: [Int] = []
    }

    enum Action: ActionGroup {
        case seen
        case drawn(count: Int)
        case signed
        case checked(name: String, age: Int)
        case answered(Answer<Done>)
    }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .seen, .answered:
            state.seen.append(
                Seen(
                    by: step.by?.id, roles: (step.by?.roles ?? []).sorted(), at: step.at,
                    version: step.version, session: step.session.description, id: step.makeID()))
        case .drawn(let count):
            var chance = step.makeGenerator()
            for _ in 0..<count { state.drawn.append(Int.random(in: 0..<1_000_000, using: &chance)) }
        case .signed: _ = try step.signedIn()
        case .checked(let name, let age):
            try Rejection.check(
                name.isEmpty ? Rejection("empty", "Say a name.", field: "name") : nil,
                age < 0 ? Rejection("negative", "Not below zero.", field: "age") : nil)
        }
    }

    /// The application at a path, with an effect that answers what was seen.
    func served(at path: String, environment: Environment? = nil) -> Served {
        let answering = Middleware<State, Action>(
            "answering",
            effectsAfter: { step in
                guard case .seen = step.action else { return [] }
                return [.send(.answered(.value(Done())))]
            })
        return Served(path, self, middleware: [answering], environment: environment)
    }
}

@Suite(.onBothJournals) struct `Who acts` {
    private static let session = "/witness/sessions/demo"

    private static func serve(
        _ journal: ScriptedJournal? = nil, asks: Bool = true,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        if let journal { configuration.journal = journal }
        if asks {
            configuration.authorize = { request in
                switch request.authorization {
                case "Bearer alice":
                    .granted(Principal("alice", roles: ["act", "admin", "observe"]))
                case "Bearer bob": .granted(Principal("bob", roles: ["act", "observe"]))
                default: .unauthenticated
                }
            }
        }
        try await TestServer.run(
            configuration, serving: { WitnessApplication().served(at: "/witness") }, body: body)
    }

    private static func post(
        _ body: String, as name: String = "alice", on server: TestServer
    ) throws -> TestAnswer {
        try server.post(session, body, fields: ["Authorization": "Bearer \(name)"])
    }

    private static func state(_ server: TestServer) throws -> WitnessApplication.State {
        let answer = try server.send(
            "GET", session + "/state", fields: ["Authorization": "Bearer alice"])
        return try StateDecoder().decode(
            WitnessApplication.State.self, from: Array(answer.body.utf8))
    }

    private static func create(_ server: TestServer) throws {
        _ = try server.send("PUT", session, fields: ["Authorization": "Bearer alice"])
    }

    @Test func `reaches the reducer, and the server itself is no principal`() async throws {
        try await Self.serve { server in
            try Self.create(server)
            #expect(try Self.post(#"{"type":"seen"}"#, on: server).status == 200)
            #expect(try Self.post(#"{"type":"seen"}"#, as: "bob", on: server).status == 200)
            while try Self.state(server).seen.count < 4 {}
            let seen = try Self.state(server).seen
            #expect(seen.count { $0.by == nil } == 2)
            let alice = try #require(seen.first { $0.by == "alice" })
            #expect(alice.roles == ["act", "admin", "observe"])
            #expect(alice.session == "demo")
            #expect(seen.contains { $0.by == "bob" && $0.roles == ["act", "observe"] })
            #expect(seen.map(\.version) == [1, 2, 3, 4])
            #expect(Set(seen.map(\.id)).count == 4)
            #expect(seen.map(\.at) == seen.map(\.at).sorted())
            let token = try server.send(
                "GET", Self.session + "/state", fields: ["Authorization": "Bearer alice"]
            ).fields["etag"]
            let last = try #require(seen.last)
            #expect(token == "\"\(last.id)\"")
        }
    }

    @Test func `is anonymous where the server does not ask`() async throws {
        try await Self.serve(asks: false) { server in
            try server.create(Self.session)
            try server.dispatch(Self.session, "seen")
            let first = try #require(try Self.state(server).seen.first)
            #expect(first.by == nil)
            let answer = try server.dispatch(Self.session, "signed")
            #expect(answer.status == 403)
            #expect(answer.body.contains("/problems/rejected/not-signed-in"))
        }
    }

    @Test func `stands in the entry, with the seed of what was drawn`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        try await Self.serve(journal) { server in
            try Self.create(server)
            #expect(try Self.post(#"{"type":"signed"}"#, on: server).status == 200)
            #expect(
                try Self.post(#"{"type":"drawn","payload":{"count":3}}"#, as: "bob", on: server)
                    .status == 200)
            let heads = journal.batches.joined().map { String(decoding: $0.head, as: UTF8.self) }
            // The first entry of an epoch names it.
            let first = try #require(heads.first)
            #expect(first.hasPrefix(#"{"epoch":""#))
            #expect(
                first.hasSuffix(
                    #"","origin":"client","by":{"id":"alice","roles":["act","admin","observe"]},"#
                        + #""action":{"type":"signed"}}"#))
            let drawn = try #require(heads.last)
            #expect(
                drawn.hasPrefix(
                    #"{"origin":"client","by":{"id":"bob","roles":["act","observe"]},"seed":""#))
            let seed = drawn.split(separator: "\"seed\":\"")[1].prefix { $0 != "\"" }
            #expect(seed.count == 64)
            #expect(seed.allSatisfy { $0.isHexDigit })
        }
    }

    @Test func `is told every fault of an action at once, with its place`() async throws {
        try await Self.serve { server in
            try Self.create(server)
            let answer = try Self.post(
                #"[{"type":"signed"},{"type":"checked","payload":{"name":"","age":-1}}]"#,
                on: server)
            #expect(answer.status == 422)
            #expect(
                answer.body == #"{"type":"/problems/rejected/empty","#
                    + #""title":"Unprocessable Content","status":422,"detail":"Say a name.","#
                    + #""index":1,"pointer":"/1","code":"empty","errors":["#
                    + #"{"pointer":"/1/payload/name","code":"empty","detail":"Say a name."},"#
                    + #"{"pointer":"/1/payload/age","code":"negative","#
                    + #""detail":"Not below zero."}]}"#)
        }
    }
}

@Suite struct `The time of an entry` {
    private static let session = "/witness/sessions/demo"

    /// Has something seen by a server, and tells when it and its answer were.
    private static func see(
        _ journal: ScriptedJournal, _ environment: Environment?
    ) async throws -> [Int64] {
        try await TestServer.run(
            changing: { $0.journal = journal },
            serving: { WitnessApplication().served(at: "/witness", environment: environment) }
        ) { server in
            try server.create(session)
            #expect(try server.dispatch(session, "seen").isSuccess)
        }
        return journal.batches.joined().map(\.at.milliseconds)
    }

    @Test func `is never before that of the entry before, also after a restart`() async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        let future = Int64(9_000_000_000_000)
        let ahead = Environment(now: { Timestamp(milliseconds: future) })
        let first = try await Self.see(journal, ahead)
        // The application's clock counts for what its clients post, too.
        #expect(first == [future, future])
        let both = try await Self.see(journal, nil)
        #expect(both == first + [future, future])
    }
}
