public import Redux

/// All that can happen at a table. Clients send for example `{"type":"played","payload":{"card":17}}`.
public enum TableAction: ActionGroup {
    /// Takes a seat under a name, or comes back to it; the last seat that is taken has the cards dealt.
    case sat(name: String)
    /// Gives the seat up; during a game the clock then plays for the player.
    case left
    case dealt
    case played(card: Card)
    case drew
    case said(text: String)
    case clock(ClockFact)
    case session(SessionFact)
}

/// Facts of the clock.
public enum ClockFact: FactGroup {
    case ranOut(turn: Game.Turn)
}
