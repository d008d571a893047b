/// The fate of a batch that was dispatched: all of it is accepted, or nothing.
public enum BatchOutcome: Sendable, Hashable {
    /// The outcome of each action.
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
