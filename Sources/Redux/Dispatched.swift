/// What reaches a reducer whose application tells apart what clients may send and what only its
/// own effects and middleware report.
public enum Dispatched<Action: Sendable, Fact: Sendable>: Sendable {
    /// What a client may send.
    case action(Action)
    /// What happened outside: an answer came, a time has passed.
    case fact(Fact)
}

extension Dispatched: Equatable where Action: Equatable, Fact: Equatable {}

/// Where an entry comes from.
public enum Origin: String, Sendable, Hashable {
    case client, effect, replay
}
