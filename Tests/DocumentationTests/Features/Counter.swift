import Statecast

/// A counter that loads a text for its number.
struct Counter: Application {
    struct State: StateValue { var count = 0, trivia = Loadable<String>.idle }
    enum Action: ActionGroup { case incremented(by: Int), asked, told(Answer<String>) }

    let initialState = State(), views = Views<State>.all
    let trivia: @Sendable (Int) async throws -> String

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .incremented(let by):
            guard (-10...10).contains(by) else {
                throw Rejection("too-far", "At most ten.", field: "by")
            }
            (state.count, state.trivia) = (state.count + by, .idle)
        case .asked: state.trivia.load()
        case .told(let answer): state.trivia.finish(answer)
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if state.trivia.isLoading { Work("trivia", for: state.count, trivia) { .told($0) } }
    }
}
