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
}

extension StagedEntry {
    init<State>(_ entry: PendingEntry<State, Action>) {
        self.init(
            version: entry.version, action: entry.action, origin: entry.origin,
            cause: entry.cause?.version, changed: entry.changed)
    }
}
