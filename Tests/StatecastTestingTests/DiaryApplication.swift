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
        case saved(Answer<Int>)
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
        case .saved(let answer): state.saved = answer.value ?? state.saved
        }
    }

    var views: Views<State> {
        Views(state: .all, View("count") { state in state.entries.count })
    }

    func work(in state: State) -> [Work<Action>] {
        if state.saved < state.entries.count {
            Work("save", for: state.entries.count, policy: .debounced(.milliseconds(300))) {
                $0
            } then: {
                .saved($0)
            }
        }
    }
}
