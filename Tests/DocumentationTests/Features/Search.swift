import Statecast

/// Search as one types: after 300 ms, the previous one cancelled, a failure shown beside what was
/// found before.
struct Search: Application {
    struct State: StateValue { var text = "", results = Loadable<[String]>.idle }
    enum Action: ActionGroup { case edited(text: String), found(Answer<[String]>) }

    let initialState = State(), views = Views<State>.all
    let search: @Sendable (String) async throws -> [String]

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .edited(let text):
            state.text = text
            state.results = text.isEmpty ? .idle : .loading(state.results.value)
        case .found(let answer): state.results.finish(answer)
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if state.results.isLoading {
            Work("search", for: state.text, policy: .debounced(.milliseconds(300)), search) {
                .found($0)
            }
        }
    }
}
