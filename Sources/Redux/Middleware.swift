/// An interceptor's decision about an action that has not reached the reducer.
public enum Verdict<Action: Sendable>: Sendable {
    /// Let it go on.
    case pass
    /// Go on with another one.
    case replace(Action)
    /// Go on with several, each a step of its own; with none, as `drop`.
    case expand([Action])
    /// Forget it; nobody is told but the sender.
    case drop
    /// Refuse it with a reason.
    case reject(Rejection)
    /// Let it go on later. A later delay under the same key takes its place.
    case delay(Duration, key: String?)
    /// Let it go on, or forget it where another one under the key went on less than so long ago.
    case passOnce(per: Duration, key: String)

    /// A store has to remember something of it.
    var isTimed: Bool {
        switch self {
        case .pass, .replace, .expand, .drop, .reject: false
        case .delay, .passOnce: true
        }
    }
}

/// The means of an interceptor to decide and to stamp.
public struct MiddlewareContext: Sendable {
    /// The source of the action.
    public let origin: Origin
    private let environment: Environment

    /// A context.
    public init(origin: Origin, environment: Environment) {
        self.origin = origin
        self.environment = environment
    }

    /// The time, which a reducer may not read.
    public var now: Timestamp { environment.now() }

    /// A new id, which a reducer may not make.
    public func makeID() -> String { environment.makeID() }
}

/// Something that stands around the reducer: before it, after it, or both.
///
/// Interceptors run in their order on the state as it will be (head), before anything is logged:
/// what they let through is what the log holds, so that a replay needs no middleware. Reactions
/// run in their order once a step is committed, and answer with effects.
public struct Middleware<State, Action: Sendable>: Sendable {
    /// The name, for logs and switches.
    public var name: String
    /// Switched off, it does nothing.
    public var isEnabled = true
    /// Decides before the reducer.
    public var intercept: (@Sendable (Action, State, MiddlewareContext) -> Verdict<Action>)?
    /// Reacts after the commit.
    public var react: (@Sendable (Transition<State, Action>) -> [Effect<State, Action>])?

    /// A middleware of one or both kinds.
    public init(
        _ name: String,
        intercept: (@Sendable (Action, State, MiddlewareContext) -> Verdict<Action>)? = nil,
        react: (@Sendable (Transition<State, Action>) -> [Effect<State, Action>])? = nil
    ) {
        self.name = name
        self.intercept = intercept
        self.react = react
    }
}
