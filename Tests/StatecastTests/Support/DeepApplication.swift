import Statecast

/// A state that nests as deep as it is told, deeper than can be written.
struct DeepApplication: Application {
    indirect enum Chain: Codable, Equatable, Sendable {
        case end
        case link(Chain)
    }

    struct State: Codable, Equatable, Sendable {
        var chain = Chain.end
    }

    enum Action: ActionGroup, Codable, Sendable {
        case deepened(by: Int)

        enum CodingKeys: CodingKey, CaseIterable { case deepened }
    }

    let initialState = State()

    func reduce(_ state: inout State, action: Action) throws(Rejection) {
        guard case .deepened(let count) = action else { return }
        for _ in 0..<min(count, 1_000) { state.chain = .link(state.chain) }
    }
}
