package import Statecast

/// One number that clients move up and down: `{"count":0}`.
package struct CounterApplication: Application {
    package struct State: Codable, Equatable, Sendable {
        package var count = 0
    }

    /// Clients send for example `{"type":"incremented","payload":{"by":1}}`.
    package enum Action: ActionGroup, Codable, Sendable {
        case incremented(by: Int)
        case decremented(by: Int)
        case reset

        enum CodingKeys: CodingKey, CaseIterable { case incremented, decremented, reset }
    }

    package let initialState = State()

    package init() {}

    /// Adds, subtracts or starts over, and rejects a sum that no `Int` holds.
    package func reduce(_ state: inout State, action: Action) throws(Rejection) {
        let (sum, overflow) =
            switch action {
            case .incremented(let by): state.count.addingReportingOverflow(by)
            case .decremented(let by): state.count.subtractingReportingOverflow(by)
            case .reset: (0, false)
            }
        if overflow { throw Rejection(code: "out-of-range", message: "The sum fits no integer.") }
        state.count = sum
    }
}
