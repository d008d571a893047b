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
