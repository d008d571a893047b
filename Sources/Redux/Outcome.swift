/// The fate of an action that was dispatched.
public enum Outcome: Sendable, Hashable {
    /// It is an entry, or several where an interceptor made more of it; whether the state differs.
    case accepted(first: UInt64, last: UInt64, changed: Bool)
    /// An interceptor dropped it.
    case dropped
    /// An interceptor delayed it.
    case delayed(Duration)
    /// An interceptor or the reducer said no.
    case rejected(Rejection)
    /// It came while another one was being dispatched, and waits for it.
    case queued
    /// The journal did not keep it, and said so at once; nothing has changed.
    case refused
}

/// The fate of a batch that was dispatched: all of it is accepted, or nothing.
public enum BatchOutcome: Sendable, Hashable {
    /// The outcome of each action.
    case accepted([Outcome])
    /// An interceptor or the reducer said no to this one, and so to all of them.
    case rejected(index: Int, Rejection)
    /// The journal did not keep them, and said so at once; nothing has changed.
    case refused
}

/// A journal's answer, at once, to entries that are handed over to it.
@usableFromInline
package enum Keeping: Sendable, Hashable {
    /// They are kept: the store commits them before it goes on.
    case kept
    /// The answer comes later: the entries stay pending until `commit(through:)` or `revert()`.
    case later
    /// They are not kept: the store forgets them, and nothing has changed.
    case refused
}
