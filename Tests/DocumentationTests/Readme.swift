import Statecast

struct CounterApplication: Application {
    struct State: Codable, Equatable, Sendable { var count = 0 }

    enum Action: ActionGroup, Codable, Sendable {
        case incremented(by: Int), reset
        enum CodingKeys: CodingKey, CaseIterable { case incremented, reset }
    }

    let initialState = State()

    func reduce(_ state: inout State, action: Action) throws(Rejection) {
        switch action {
        case .incremented(let by): state.count += by
        case .reset: state.count = 0
        }
    }
}

/* @main */ struct Main {
    static func main() async throws {
        try await Server { Served("/counter", CounterApplication()) }.run()
    }
}
