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

    var isRejected: Bool {
        if case .rejected = self { true } else { false }
    }
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
    let provenance: Provenance
    /// What the reducer saw.
    public let action: Action
    /// Whether it changes the state.
    public let changed: Bool
    let state: State
    /// Others of its batch follow, and observers are told after those.
    var isToldLater = false

    /// The number it will have.
    public var version: UInt64 { provenance.version }
    /// Where it came from.
    public var origin: Origin { provenance.origin }
    /// The version that started the effect which reported it.
    public var cause: UInt64? { provenance.cause }
}
