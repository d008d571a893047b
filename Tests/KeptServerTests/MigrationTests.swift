import Foundation
import JournalSQLite
import StateCoding
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

/// Counts, as an earlier build of it did.
private struct EarlierApplication: Application {
    struct State: StateValue { var count = 0 }
    enum Action: ActionGroup { case incremented }
    let initialState = State()
    let views = Views<State>.all
    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
    func work(in state: State) -> [Work<Action>] {}
}

/// Counts, and has a field more.
private struct LaterApplication: Application {
    struct State: StateValue {
        var count = 0
        var unit = "pieces"

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.decode(Int.self, forKey: .count)
            unit = try container.decodeIfPresent(String.self, forKey: .unit) ?? "pieces"
        }
    }
    enum Action: ActionGroup { case incremented }
    let initialState = State()
    let views = Views<State>.all
    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
    func work(in state: State) -> [Work<Action>] {}
}

@Suite struct `A session that another build has kept` {
    private static let path = "/counter/sessions/demo"
    private let folder = TemporaryFolder()

    private func serve(
        _ served: Served, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        try await TestServer.run(
            configuration,
            serving: { served },
            body: body)
    }

    @Test func `has its new form by an entry of its own, and the former one at its version`()
        async throws
    {
        try await serve(Served("/counter", EarlierApplication())) { server in
            try server.create(Self.path)
            for _ in 1...3 { _ = try server.dispatch(Self.path, "incremented", nil) }
        }
        for _ in 1...2 {
            try await serve(Served("/counter", LaterApplication())) { server in
                let state = try server.send("GET", "\(Self.path)/state")
                #expect(state.body == #"{"count":3,"unit":"pieces"}"#)
                #expect(state.etag?.hasSuffix("-4") == true)
                let former = try server.send("GET", "\(Self.path)/state?version=3")
                #expect(former.body == #"{"count":3}"#)
                let log = try server.send("GET", "\(Self.path)/log?after=3&patch=1").body
                #expect(log.contains(#""origin":"server","kind":"migrated""#))
            }
        }
        try await serve(Served("/counter", LaterApplication())) { server in
            let posted = try server.dispatch(Self.path, "incremented", nil)
            #expect(posted.etag?.hasSuffix("-5") == true)
        }
    }

    @Test func `of a later schema is left as it is, and says which version is not`() async throws {
        let earlier = Served("/counter", EarlierApplication())
        try await serve(earlier) { server in
            try server.create(Self.path)
            for _ in 1...3 { _ = try server.dispatch(Self.path, "incremented", nil) }
        }
        let migration = Migration(from: 1) { (old: EarlierApplication.State) in
            var state = LaterApplication.State()
            state.count = old.count
            return state
        }
        let later = Served(
            "/counter", LaterApplication(),
            options: .init(schema: Schema(version: 2, migrations: [migration])))
        for (served, version) in [(later, 4), (earlier, nil), (later, 4)] as [(Served, Int?)] {
            try await serve(served) { server in
                let state = try server.send("GET", "\(Self.path)/state")
                if let version {
                    #expect(state.etag?.hasSuffix("-\(version)") == true)
                } else {
                    #expect(state.status == 423 && state.body.contains(#""good":3"#))
                    #expect(try server.dispatch(Self.path, "incremented", nil).status == 423)
                }
            }
        }
    }
}
