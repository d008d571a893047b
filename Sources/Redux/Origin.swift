/// The source of an entry.
public enum Origin: String, Sendable, Hashable {
    /// A client has sent it.
    case client
    /// An effect or a piece of work has reported it.
    case effect
    /// An alarm has sent it.
    case alarm
    /// The server's own code has said it.
    case server
    /// A client has set the state by hand.
    case inspector
    /// It is an entry of before that is shown again.
    case replay
}
