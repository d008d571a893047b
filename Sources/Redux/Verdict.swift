/// An interceptor's decision about an action that has not reached the reducer.
public enum Verdict<Action: Sendable>: Sendable {
    /// Let it go on.
    case pass
    /// Go on with another one.
    case replace(Action)
    /// Go on with several, each a step of its own; with none, as `drop`.
    case expand([Action])
    /// Forget it; nobody is told but the sender.
    case drop
    /// Refuse it with a reason.
    case reject(Rejection)
    /// Let it go on later. A later delay under the same key takes its place.
    case delay(Duration, key: String?)
    /// Let it go on at once, or where another one under the key went on less than so long ago, at the
    /// end of that time: the last one that comes until then, and the others are forgotten.
    case passOnce(per: Duration, key: String)

    /// A store has to remember something of it.
    var isTimed: Bool {
        switch self {
        case .pass, .replace, .expand, .drop, .reject: false
        case .delay, .passOnce: true
        }
    }
}
