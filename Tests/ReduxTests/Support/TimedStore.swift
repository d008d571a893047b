import Redux
import StatecastTesting
import Testing

/// Actions for what middleware does with time.
enum TimedAction: Sendable, Equatable {
    case typed(String)
    case liked(Int)
    case refused

    static let reducer: Reducer<[String], TimedAction> = { (state, action, _) throws(Rejection) in
        switch action {
        case .typed(let text): state.append(text)
        case .liked(let id): state.append("liked \(id)")
        case .refused: throw Rejection("refused", "No.")
        }
    }
}

extension TestStore<[String], TimedAction> {
    /// A store with some middleware, of which tests state what they like.
    convenience init(
        _ middleware: [Middleware<[String], TimedAction>], limits: StoreLimits = StoreLimits()
    ) {
        self.init(
            initial: [], reducer: TimedAction.reducer, middleware: middleware,
            exhaustivity: .nonExhaustive, limits: limits)
    }

    /// What the store holds, also after what nobody has received.
    var texts: [String] {
        skipReceived()
        return state
    }
}
