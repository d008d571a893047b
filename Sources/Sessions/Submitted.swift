/// The outcome of a request to a session.
package enum Submitted {
    /// The actions were taken, and what they came to is kept.
    case taken(Decision)
    /// The actions were refused, judged by what is kept.
    case refused(Refusal)
    /// The request was refused before its actions were judged.
    case turnedAway(Refusal)
    /// The outcome rests on entries that the journal has still to keep.
    case held(Ticket)
}
