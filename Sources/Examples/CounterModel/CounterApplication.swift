public import Redux

/// One number that clients move up and down: `{"count":0}`.
public struct CounterApplication: Sendable {
    public struct State: StateValue { public var count = 0 }

    /// Clients send for example `{"type":"incremented","payload":{"by":1}}`.
    public enum Action: ActionGroup { case incremented(by: Int), decremented(by: Int), reset }

    public let initialState = State()

    public init() {}

    /// Adds, subtracts or starts over, and rejects a sum that no `Int` holds.
    public func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .incremented(let by): try state.count.add(by, field: "by")
        case .decremented(let by): try state.count.subtract(by, field: "by")
        case .reset: state.count = 0
        }
    }
}
