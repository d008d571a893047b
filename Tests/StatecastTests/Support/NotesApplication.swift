import Statecast

/// A list, an optional part, effects, facts, a view, and everything that middleware may decide.
struct NotesApplication: Application {
    struct State: Codable, Equatable, Sendable {
        var notes: [String] = []
        var open: Note?
        var loads = 0
        var starts = 0
    }

    struct Note: Codable, Equatable, Sendable {
        var text: String
    }

    enum Action: ActionGroup, Codable, Sendable {
        case added(String)
        case opened(text: String)
        case closed
        case loadRequested(count: Int)
        case dropMe, delayMe, rejectMe, conflictMe
        case doubled(String)
        case filled(bytes: Int)
        case queued, failed

        enum CodingKeys: CodingKey, CaseIterable {
            case added, opened, closed, loadRequested, dropMe, delayMe, rejectMe, conflictMe
            case doubled, filled, queued, failed
        }
    }

    enum Fact: ActionGroup, Codable, Sendable {
        case loaded(left: Int)
        case started

        enum CodingKeys: CodingKey, CaseIterable { case loaded, started }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String { "out of luck" }
    }

    let initialState = State()
    /// What an effect waits for before it reports.
    var gate: Gate?
    /// Whether a new session starts an effect.
    var hasStart = false

    func reduce(_ state: inout State, action: Action) throws(Rejection) {
        switch action {
        case .added(let text), .doubled(let text): state.notes.append(text)
        case .opened(let text): state.open = Note(text: text)
        case .closed: state.open = nil
        case .loadRequested, .dropMe, .delayMe, .queued, .failed: break
        case .rejectMe: throw Rejection(code: "no-such-thing", message: "Never.")
        case .conflictMe:
            throw Rejection(code: "too-late", message: "Not any more.", kind: .conflict)
        case .filled(let bytes): state.notes = [String(repeating: "x", count: bytes)]
        }
    }

    func reduce(_ state: inout State, fact: Fact) throws(Rejection) {
        switch fact {
        case .loaded: state.loads += 1
        case .started: state.starts += 1
        }
    }

    func middleware(for session: SessionID) -> [Middleware<State, Input>] {
        [
            Middleware(
                "verdicts",
                intercept: { input, _, context in
                    switch input {
                    case .action(.dropMe): .drop
                    case .action(.delayMe): .delay(.milliseconds(1), key: nil)
                    case .action(.doubled(let text)): .expand([input, .action(.added(text))])
                    default: .pass
                    }
                })
        ]
    }

    func effects(
        after transition: Transition<State, Input>, in session: SessionID
    ) -> [Effect<State, Input>] {
        let left: Int
        let gate = gate
        switch transition.action {
        case .action(.loadRequested(let count)): left = count
        case .fact(.loaded(let count)): left = count
        case .action(.queued): return [.run("queue", policy: .queue) { _ in await gate?.wait() }]
        case .action(.failed): return [.run("failing") { _ in throw Failure() }]
        default: return []
        }
        guard left > 0 else { return [] }
        return [
            .run("load") { context in
                await gate?.wait()
                context.send(.fact(.loaded(left: left - 1)))
            }
        ]
    }

    func effects(starting state: State, in session: SessionID) -> [Effect<State, Input>] {
        hasStart ? [.dispatch(.fact(.started))] : []
    }

    var views: [View<State>] {
        [
            View("last") { state, arguments in
                state.notes.last.map { (arguments["prefix"] ?? "") + $0 }
            },
            View("count") { state, _ in state.notes.count },
        ]
    }
}
