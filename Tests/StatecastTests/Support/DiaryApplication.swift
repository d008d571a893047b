import Logging
import Statecast
import StatecastTesting
import Synchronization
import Testing

/// Notes of which each viewer sees its own, with a secret.
struct DiaryApplication: PlainApplication {
    struct State: StateValue {
        var notes: [String: [String]] = [:]
        var key: Secret<String>?
        var pin: Secret<Int>?
    }

    enum Action: ActionGroup {
        case noted(String)
        case locked(key: Secret<String>, pin: Secret<Int>)
        /// Notes whether both are right.
        case opened(key: Secret<String>, pin: Secret<Int>)
    }

    struct Page: Encodable {
        var notes: [String]
    }

    /// How often Carol's page was made.
    static let shownCount = Atomic(0)
    var isShown = true
    let initialState = State()

    var views: Views<State> {
        isShown
            ? .all
            : Views(
                state: View(by: { $1.name }) { state, id in
                    if id == "carol" { Self.shownCount.add(1, ordering: .relaxed) }
                    return Page(notes: state.notes[id] ?? [])
                })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .noted(let text):
            guard !text.isEmpty else { throw Rejection("empty", "Write something.") }
            state.notes[step.by?.id ?? "", default: []].append(text)
        case .locked(let key, let pin):
            state.key = key
            state.pin = pin
        case .opened(let key, let pin):
            let isRight = state.key == key && state.pin == pin
            state.notes["door"] = [isRight ? "opened" : "locked"]
        }
    }
}

/// A server of diaries, and requests of those who keep them.
struct Diaries {
    static let session = "/diary/sessions/demo"

    /// Names are roles with a dash before them: `eve-inspect-admin`.
    private static func principal(_ authorization: String?) -> Access {
        guard let name = authorization?.split(separator: " ").last else { return .unauthenticated }
        let roles = name.split(separator: "-").dropFirst().map(String.init)
        return .granted(Principal(String(name), roles: Set(roles).union(["act", "observe"])))
    }

    static func run(
        _ history: History = .always, isShown: Bool = true, asks: Bool = true,
        entryCount: Int? = nil, hotReload: String? = nil, logger: Logger? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        if let entryCount { configuration.sessionLimits.historyEntryCount = entryCount }
        configuration.hotReloadDirectory = hotReload
        if let logger { configuration.logger = logger }
        if asks { configuration.authorize = { Self.principal($0.authorization) } }
        try await TestServer.run(
            configuration,
            serving: {
                Served(
                    "/diary", DiaryApplication(isShown: isShown),
                    options: SessionOptions(
                        validate: { (state) throws(Rejection) in
                            if state.notes["bad"] != nil { throw Rejection("bad", "Not bad.") }
                        }, history: history))
            }
        ) { server in
            try server.create(Self.session, fields: Self.as("alice"))
            try await body(server)
        }
    }

    static func `as`(_ name: String) -> [String: String] {
        ["Authorization": "Bearer \(name)"]
    }

    static func note(_ text: String, _ server: TestServer, by name: String = "alice") throws {
        let answer = try server.dispatch(
            Self.session, "noted", "\"\(text)\"", fields: Self.as(name))
        #expect(answer.status == 200)
    }

    static func get(
        _ path: String, _ server: TestServer, by name: String = "eve-inspect",
        _ fields: [String: String] = [:]
    ) throws -> TestAnswer {
        try server.send(
            "GET", Self.session + path, fields: Self.as(name).merging(fields) { $1 })
    }
}
