import Statecast

/// An application for tests of the client's side: entries, saved a while after they are written.
struct DiaryApplication: Application {
    struct State: StateValue {
        var entries: [String] = []
        var saved = 0
        var page: Page?
    }

    struct Page: Codable, Equatable, Sendable {
        var number: Int
    }

    enum Action: ActionGroup {
        case written(String)
        case opened(number: Int)
        case closed
        case fact(Fact)
    }

    enum Fact: FactGroup {
        case saved(Int)
    }

    let initialState = State()

    func reduce(
        _ state: inout State, _ action: Action, _ step: Step
    ) throws(Rejection) {
        switch action {
        case .written(let text):
            guard !text.isEmpty else {
                throw Rejection("empty-entry", "An entry needs some text.")
            }
            state.entries.append(text)
        case .opened(let number): state.page = Page(number: number)
        case .closed: state.page = nil
        case .fact(.saved(let count)): state.saved = count
        }
    }

    func effects(
        after transition: Transition<State, Action>, in session: SessionID
    ) -> [Effect<State, Action>] {
        guard case .written = transition.action else { return [] }
        let count = transition.new.entries.count
        return [
            .run("save", policy: .latest.debounced(.milliseconds(300))) {
                $0.send(.fact(.saved(count)))
            }
        ]
    }

    var views: Views<State> {
        Views(state: .all, View("count") { state in state.entries.count })
    }

    func work(in state: State) -> [Work<Action>] {}
}
