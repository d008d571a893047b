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
    /// Let it go on at once, or where another one under the key went on less than so long ago, at the
    /// end of that time: the last one that comes until then, and the others are forgotten.
    case passOnce(per: Duration, key: String)
}

/// The surroundings of an action that has not reached the reducer, for an interceptor.
public struct Incoming: Sendable {
    /// The source of the action.
    public let origin: Origin
    /// The one who sent it; nil where the server itself did.
    public let by: Principal?
    /// The time at which it is decided.
    public let at: Timestamp
    /// The print of the client whose account it is on, where that was told; 0: it was not.
    package internal(set) var client: UInt16 = 0

    /// The surroundings of an action.
    public init(origin: Origin, by: Principal?, at: Timestamp) {
        self.origin = origin
        self.by = by
        self.at = at
    }
}

/// One committed step of a store, as middleware and effects are told of it afterwards.
public struct Transition<State, Action> {
    /// Before.
    public let old: State
    /// After.
    public let new: State
    /// The action that led from one to the other, as the reducer saw it.
    public let action: Action
    /// The number of the entry; the initial state is 0.
    public let version: UInt64
    /// The source of the action.
    public let origin: Origin
    /// The one who sent the action; nil where the server itself did.
    public let by: Principal?
    /// The time at which it was decided.
    public let at: Timestamp
    /// The version that started the effect which reported it, if one did.
    public let cause: UInt64?
    /// The states differ.
    public let changed: Bool

    // By itself, it would look its type up once more.
    /// A step of known parts.
    @inlinable @inline(__always)
    public init(
        old: State, new: State, action: Action, version: UInt64, origin: Origin = .client,
        by: Principal? = nil, at: Timestamp = Timestamp(milliseconds: 0), cause: UInt64? = nil,
        changed: Bool = true
    ) {
        self.old = old
        self.new = new
        self.action = action
        self.version = version
        self.origin = origin
        self.by = by
        self.at = at
        self.cause = cause
        self.changed = changed
    }
}

extension Transition: Sendable where State: Sendable, Action: Sendable {}
