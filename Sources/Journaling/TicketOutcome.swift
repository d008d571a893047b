/// The outcome of one batch.
package struct TicketOutcome: Sendable, Hashable {
    /// The ticket of the batch.
    package var ticket: UInt64
    /// The fate of the batch.
    package var outcome: AppendOutcome

    /// The outcome of the batch that has this ticket.
    package init(_ ticket: UInt64, _ outcome: AppendOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}
