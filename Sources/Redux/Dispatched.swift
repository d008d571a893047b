/// The input of a reducer whose application tells apart the actions that clients may send and the
/// facts that only its own effects and middleware report.
public enum Dispatched<Action: Sendable, Fact: Sendable>: Sendable {
    /// An action that a client may send.
    case action(Action)
    /// A happening outside: an answer came, a time has passed.
    case fact(Fact)
}

extension Dispatched: Equatable where Action: Equatable, Fact: Equatable {}
