import Statecast

/// A state that nests as deep as it is told, deeper than can be written.
struct DeepApplication: PlainApplication {
    indirect enum Chain: Codable, Equatable, Sendable {
        case end
        case link(Chain)
    }

    struct State: StateValue {
        var chain = Chain.end
    }

    enum Action: ActionGroup {
        case deepened(by: Int)
    }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        guard case .deepened(let count) = action else { return }
        for _ in 0..<min(count, 1_000) { state.chain = .link(state.chain) }
    }
}
