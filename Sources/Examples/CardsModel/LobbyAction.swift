public import Redux

/// All that can happen in the lobby. Clients send one action alone:
/// `{"type":"opened","payload":{"name":"Friday","seats":3}}`.
public enum LobbyAction: ActionGroup {
    case opened(name: String, seats: Int)
    case table(TableFact)
}

/// Facts of the tables.
public enum TableFact: FactGroup {
    /// The session of a table was made, or could not be.
    case made(id: String, answer: Answer<Done>)
    /// A table tells that other people sit there, or that a game has begun or ended.
    case reported(id: String, summary: TableSummary)
    /// Nothing was told of a table for a long time.
    case wentQuiet(id: String)
    /// The session of a table was ended, or could not be.
    case ended(id: String, answer: Answer<Done>)
}
