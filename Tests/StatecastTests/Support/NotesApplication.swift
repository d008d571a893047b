import Statecast

/// A list, an optional part, effects, facts, a view, and everything that middleware may decide.
struct NotesApplication: Application {
    struct State: StateValue {
        var notes: [String] = []
        var open: Note?
        var loads = 0
        var starts = 0
    }

    struct Note: Codable, Equatable, Sendable {
        var text: String
    }

    enum Action: ActionGroup {
        case added(String)
        case opened(text: String)
        case closed
        case loadRequested(count: Int)
        case dropMe, delayMe, rejectMe, conflictMe
        case doubled(String)
        case filled(bytes: Int)
        case queued, failed
        case fact(Fact)
    }

    enum Fact: FactGroup {
        case loaded(left: Int)
        case started
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String { "out of luck" }
    }

    let initialState = State()
    /// What an effect waits for before it reports.
    var gate: Gate?
    /// Whether a new session has work.
    var hasStart = false

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .added(let text), .doubled(let text): state.notes.append(text)
        case .opened(let text): state.open = Note(text: text)
        case .closed: state.open = nil
        case .loadRequested, .dropMe, .delayMe, .queued, .failed: break
        case .rejectMe: throw Rejection("no-such-thing", "Never.")
        case .conflictMe:
            throw Rejection("too-late", "Not any more.", kind: .conflict)
        case .filled(let bytes): state.notes = [String(repeating: "x", count: bytes)]
        case .fact(.loaded): state.loads += 1
        case .fact(.started): state.starts += 1
        }
    }

    var views: Views<State> {
        Views(
            state: .all,
            View("last", by: { $1.arguments["prefix"] ?? "" }) { state, prefix in
                state.notes.last.map { prefix + $0 }
            },
            View("count") { state in state.notes.count })
    }

    func work(in state: State) -> [Work<Action>] {
        if hasStart, state.starts == 0 {
            Work("start", { Done() }) { _ in .fact(.started) }
        }
    }
}

extension NotesApplication {
    /// The application at a path, with everything around its reducer.
    func served(at path: String) -> Served {
        Served(path, self, middleware: [Self.verdicts, effects])
    }

    private static let verdicts = Middleware<State, Action>(
        "verdicts",
        intercept: { action, _, _ in
            switch action {
            case .dropMe: .drop
            case .delayMe: .delay(.milliseconds(1), key: nil)
            case .doubled(let text): .expand([action, .added(text)])
            default: .pass
            }
        })

    private static func loads(_ left: Int, _ gate: Gate?) -> [Effect<Action>] {
        guard left > 0 else { return [] }
        return [
            .run("load", overlap: .latest) { context in
                await gate?.wait()
                try await context.send(.fact(.loaded(left: left - 1)))
            }
        ]
    }

    private var effects: Middleware<State, Action> {
        Middleware(
            "effects",
            effectsAfter: { [gate] step in
                switch step.action {
                case .loadRequested(let left), .fact(.loaded(let left)): Self.loads(left, gate)
                case .queued: [.run("queue", overlap: .queue) { _ in await gate?.wait() }]
                case .failed: [.run("failing") { _ in throw Failure() }]
                default: []
                }
            })
    }
}
