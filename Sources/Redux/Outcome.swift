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

    /// It left no trace.
    var isRefused: Bool {
        switch self {
        case .rejected, .refused: true
        case .accepted, .dropped, .delayed, .queued: false
        }
    }
}
