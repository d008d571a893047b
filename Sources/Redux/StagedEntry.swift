/// One entry that the reducer has made and nobody has seen yet.
@usableFromInline
package struct StagedEntry<Action: Sendable>: Sendable {
    /// The number that it will have.
    package let version: UInt64
    /// The action as the reducer saw it.
    package let action: Action
    /// The source of the action.
    package let origin: Origin
    /// The version that started the effect which reported it, or whose commit dispatched it.
    package let cause: UInt64?
    /// The state differs from the one before it.
    package let changed: Bool
    /// The one who sent the action; nil where the server itself did.
    package let by: Principal?
    /// The time at which it was decided.
    package let at: Timestamp
    /// The bits that its random numbers came from, where the reducer drew any.
    package let seed: Seed?

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
