/// The side of an event loop to which a journal reports.
package protocol AppendReceiver: AnyObject, Sendable {
    /// Takes the outcomes of batches, those of one commit in one call; from any thread.
    func appended(_ outcomes: [TicketOutcome])
}
