/// One entry that the reducer has made and nobody has seen yet.
public struct StagedEntry<Action: Sendable>: Sendable {
    /// The number that it will have.
    public let version: UInt64
    /// The action as the reducer saw it.
    public let action: Action
    /// The source of the action.
    public let origin: Origin
    /// The version that started the effect which reported it, or whose commit dispatched it.
    public let cause: UInt64?
    /// The state differs from the one before it.
    public let changed: Bool
    /// The one who sent the action; nil where the server itself did.
    public let by: Principal?
    /// The time at which it was decided.
    public let at: Timestamp
    /// The bits that its random numbers came from, where the reducer drew any.
    public let seed: Seed?

    init(
        version: UInt64, action: Action, origin: Origin, cause: UInt64?, changed: Bool,
        record: StepRecord
    ) {
        self.version = version
        self.action = action
        self.origin = origin
        self.cause = cause
        self.changed = changed
        by = record.by
        at = record.at
        seed = record.seed
    }
}

extension StagedEntry {
    /// Nil for a state that was set by hand.
    init?<State>(_ entry: PendingEntry<State, Action>) {
        guard let action = entry.action else { return nil }
        self.init(
            version: entry.version, action: action, origin: entry.origin,
            cause: entry.cause?.version, changed: entry.changed, record: entry.record)
    }
}
