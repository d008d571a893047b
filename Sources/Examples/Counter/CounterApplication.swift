public import Statecast

/// One number that clients move up and down: `{"count":0}`.
public struct CounterApplication: Application {
    /// What every client of a session sees.
    public struct State: Codable, Equatable, Sendable {
        /// The number.
        public var count = 0
    }

    /// What clients may send, for example `{"type":"incremented","payload":{"by":1}}`.
    public enum Action: ActionGroup, Codable, Sendable {
        case incremented(by: Int)
        case decremented(by: Int)
        case reset

        enum CodingKeys: CodingKey, CaseIterable { case incremented, decremented, reset }
    }

    /// Begins at zero.
    public let initialState = State()

    /// An application with no settings.
    public init() {}

    /// Adds, subtracts or starts over; a sum that no `Int` holds is refused.
    public func reduce(_ state: inout State, action: Action) throws(Rejection) {
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
