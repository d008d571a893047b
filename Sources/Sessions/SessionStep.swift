/// The things to do for the clients of a session.
package enum SessionStep {
    /// The state has changed, and with it perhaps the classes of viewers: each client goes to the
    /// projection of its class before these are published.
    case regroup
    /// The projections that have changed go to those who watch them or wait for them.
    case publish(Publication)
    /// A request that has waited for the journal is answered.
    case answer(Ticket, Result<Decision, Refusal>)
    /// A request that has waited for the journal is refused.
    case refuse(Ticket, Loss)
    /// The session is opened again: its streams end, and their clients come again.
    case reopen
    /// The session is let go: another server has it, and the next request opens it.
    case leave
}
