/// Something that stands around the reducer: before it, after it, or both.
///
/// Interceptors run in their order on the state as it will be (head), before anything is logged:
/// what they let through is what the log holds, so that a replay needs no middleware. Reactions
/// run in their order once a step is committed, and answer with effects, which a replay does not
/// start.
public struct Middleware<State, Action: Sendable>: Sendable {
    /// The name, for logs and switches.
    public var name: String
    /// Switched off, it does nothing.
    public var isEnabled = true
    /// Decides before the reducer.
    public var intercept: (@Sendable (Action, State, Incoming) -> Verdict<Action>)?
    /// Reacts after the commit, with the effects that the step has.
    public var effectsAfter: (@Sendable (Transition<State, Action>) -> [Effect<Action>])?

    /// A middleware of one or both kinds.
    public init(
        _ name: String,
        intercept: (@Sendable (Action, State, Incoming) -> Verdict<Action>)? = nil,
        effectsAfter: (@Sendable (Transition<State, Action>) -> [Effect<Action>])? = nil
    ) {
        self.name = name
        self.intercept = intercept
        self.effectsAfter = effectsAfter
    }
}
