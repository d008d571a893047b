import Journaling
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

/// A basket as it was written first: names, and nothing else.
private struct BasketOfNames: PlainApplication {
    struct State: StateValue { var names: [String] = [] }
    enum Action: ActionGroup { case added(String) }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        if case .added(let name) = action { state.names.append(name) }
    }
}

/// The same as it is written today: things with a number of each.
private struct BasketOfThings: PlainApplication {
    struct State: StateValue {
        struct Thing: Codable, Equatable, Sendable {
            var name: String
            var count: Int
        }

        var things: [Thing] = []
        var isOpen = true

        init(things: [Thing] = []) { self.things = things }
    }
    enum Action: ActionGroup { case added(String), told(Told) }
    enum Told: FactGroup { case closed }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .added(let name): state.things.append(.init(name: name, count: 1))
        case .told(.closed): state.isOpen = false
        }
    }

    typealias Options = SessionOptions<State, Action>

    /// The form between the two: things without `isOpen`.
    struct Things: Codable { var things: [State.Thing] }

    static let schema = Schema(
        version: 3,
        migrations: [
            Migration(from: 2) { (old: Things) in State(things: old.things) },
            Migration(from: 1) { (old: BasketOfNames.State) in
                Things(things: old.names.map { .init(name: $0, count: 1) })
            },
        ])
}

private struct NoWay: Error {}

@Suite struct `The options of sessions` {
    private static let session = "/basket/sessions/one"
    private static let milk = #"{"type":"added","payload":"milk"}"#

    /// Serves a basket of names that a journal keeps, with milk in it; then what a build of today
    /// makes of it.
    private func upgrade(
        _ options: BasketOfThings.Options,
        _ body: @Sendable (TestServer, ScriptedJournal) async throws -> Void
    ) async throws {
        let journal = ScriptedJournal(.atOnce(.kept))
        var configuration = TestServer.configuration
        configuration.journal = journal
        try await TestServer.run(
            configuration, serving: { Served("/basket", BasketOfNames()) }
        ) { server in
            try server.create(Self.session)
            try server.post(Self.session, Self.milk)
        }
        try await TestServer.run(
            configuration, serving: { Served("/basket", BasketOfThings(), options: options) }
        ) { try await body($0, journal) }
    }

    @Test func `migrate what a journal has kept, one version at a time`() async throws {
        try await upgrade(.init(schema: BasketOfThings.schema)) { server, journal in
            let answer = try server.send("GET", Self.session + "/state")
            #expect(answer.body == #"{"things":[{"name":"milk","count":1}],"isOpen":true}"#)
            #expect(try server.post(Self.session, Self.milk).status == 200)
        }
    }

    @Test(
        arguments: [
            Schema(version: 3, migrations: Array(BasketOfThings.migrations(from: 2))),
            Schema(
                version: 2,
                migrations: [
                    Migration(from: 1) { (_: BasketOfNames.State) -> BasketOfThings.State in
                        throw NoWay()
                    }
                ]), Schema(),
        ])
    func `leave what they cannot migrate as it is, and say so`(schema: Schema) async throws {
        try await upgrade(.init(schema: schema)) { server, journal in
            let answer = try server.send("GET", Self.session + "/state")
            #expect(answer.status == 423)
            #expect(answer.body.contains("/problems/unreadable"))
            #expect(journal.kept("one", at: "/basket")?.json == #"{"names":["milk"]}"#)
        }
    }

    @Test func `have an application refuse a state that was kept`() async throws {
        let options = BasketOfThings.Options(
            schema: BasketOfThings.schema,
            validate: { (state) throws(Rejection) in
                guard state.things.isEmpty else { throw Rejection("full", "It is full.") }
            })
        try await upgrade(options) { (server, _) async throws in
            #expect(try server.send("GET", Self.session + "/state").status == 423)
            #expect(try server.create("/basket/sessions/two").status == 201)
        }
    }

    @Test func `end a session sooner than others`() async throws {
        let short = BasketOfThings.Options(lifetime: .milliseconds(1))
        try await TestServer.run(
            TestServer.configuration,
            serving: {
                Served("/short", BasketOfThings(), options: short)
                Served("/long", BasketOfThings())
            }
        ) { server in
            for path in ["/short", "/long"] { try server.create(path + "/sessions/one") }
            try await server.awaitSweep(besides: "/long/sessions/one")
            #expect(try server.send("GET", "/short/sessions/one").status == 404)
            #expect(try server.send("GET", "/long/sessions/one").status == 200)
        }
    }

    @Test(
        arguments: [
            (Schema(version: 0), "The schema's version is 0, and begins at 1."),
            (
                Schema(version: 2, migrations: BasketOfThings.migrations(from: 2)),
                "Migration(from: 2) leads nowhere: the schema's version is 2."
            ),
            (
                Schema(version: 4, migrations: BasketOfThings.migrations(from: 1, 3)),
                "No migration leads on from version 2: add Migration(from: 2)."
            ),
            (
                Schema(version: 2, migrations: BasketOfThings.migrations(from: 1, 1)),
                "Two migrations lead on from version 1; leave one of them out."
            ),
        ])
    func `name the migration that is missing`(schema: Schema, sentence: String) {
        expect(.init(schema: schema), sentence)
    }

    @Test func `are errors at start where they do not fit the application`() {
        expect(
            .init(lifetime: .zero),
            "The lifetime of a session is 0.0 seconds, and must be longer than nothing.")
        expect(
            .init(unpredicted: ["added", "add"]),
            "No action that clients may send has the type \"add\", which is unpredicted.")
        // Tests have an example of a fact whose payload cannot be made up.
        expect(.init(examples: [.added("milk"), .told(.closed)], unpredicted: ["added"]), nil)
    }

    private func expect(
        _ options: BasketOfThings.Options, _ sentence: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var found: String?
        do {
            _ = try Server(TestServer.configuration) {
                Served("/basket", BasketOfThings(), options: options)
            }
        } catch {
            found = "\(error)"
        }
        #expect(found == sentence.map { "/basket: \($0)" }, sourceLocation: sourceLocation)
    }
}

extension BasketOfThings {
    /// Migrations from some versions, which change nothing.
    fileprivate static func migrations(from versions: Int...) -> [Migration] {
        versions.map { Migration(from: $0) { (state: State) in state } }
    }
}
