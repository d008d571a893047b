/// What became of an action.
public enum Outcome: Sendable, Hashable {
    /// It is an entry, or several where an interceptor made more of it; whether the state differs.
    case accepted(first: UInt64, last: UInt64, changed: Bool)
    /// An interceptor dropped it.
    case dropped
    /// An interceptor put it off.
    case delayed(Duration)
    /// An interceptor or the reducer said no.
    case rejected(Rejection)
    /// It came while another one was being dispatched, and follows it.
    case queued
}

/// What became of a batch: all of it, or nothing.
public enum BatchOutcome: Sendable, Hashable {
    /// What became of each action.
    case accepted([Outcome])
    /// This one was refused, and so all of them.
    case rejected(index: Int, Rejection)
}

/// An entry that is decided and not yet committed.
public struct PendingEntry<State: Sendable, Action: Sendable>: Sendable {
    /// The number it will have.
    public let version: UInt64
    /// What the reducer saw.
    public let action: Action
    /// Where it came from.
    public let origin: Origin
    /// The version that started the effect which reported it.
    public let cause: UInt64?
    /// Whether it changes the state.
    public let changed: Bool
    @usableFromInline let state: State
    let root: UInt64
    let depth: Int
    let chain: [UInt64]
}
