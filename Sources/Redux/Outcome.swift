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
    /// The journal did not keep it, and said so at once; nothing has changed.
    case refused

    /// It left no trace.
    var isRefused: Bool {
        switch self {
        case .rejected, .refused: true
        case .accepted, .dropped, .delayed, .queued: false
        }
    }
}

/// What became of a batch: all of it, or nothing.
public enum BatchOutcome: Sendable, Hashable {
    /// What became of each action.
    case accepted([Outcome])
    /// An interceptor or the reducer said no to this one, and so to all of them.
    case rejected(index: Int, Rejection)
    /// The journal did not keep them, and said so at once; nothing has changed.
    case refused

    /// It left no trace.
    var isRefused: Bool {
        switch self {
        case .rejected, .refused: true
        case .accepted: false
        }
    }
}

/// An entry that is decided and not yet committed.
@usableFromInline
struct PendingEntry<State: Sendable, Action: Sendable>: Sendable {
    let provenance: Provenance
    /// The action as the reducer saw it.
    let action: Action
    /// The state differs from the one before it.
    let changed: Bool
    /// The state after it; nil where others follow that were decided together with it. Nobody sees
    /// a state between these, so that a batch of a thousand keeps one state, not a thousand.
    var state: State?

    /// The number that it will have.
    var version: UInt64 { provenance.version }
    /// Where the action came from.
    var origin: Origin { provenance.origin }
    /// The version that started the effect which reported it.
    @usableFromInline var cause: UInt64? { provenance.cause }
}
