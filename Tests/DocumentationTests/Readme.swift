import Statecast

struct CounterApplication: Application {
    struct State: StateValue { var count = 0 }

    enum Action: ActionGroup { case incremented(by: Int), reset }

    let initialState = State()
    let views = Views<State>.all

    func reduce(
        _ state: inout State, _ action: Action, _ step: Step
    ) throws(Rejection) {
        switch action {
        case .incremented(let by): try state.count.add(by, field: "by")
        case .reset: state.count = 0
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/* @main */ struct Main {
    static func main() async {
        await Server.main { Served("/counter", CounterApplication()) }
    }
}
