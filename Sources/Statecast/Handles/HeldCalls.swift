import Sessions

/// The calls of one loop's sessions that wait for a journal and are no client's request.
final class HeldCalls {
    private var calls: [Ticket: (Result<Decision, Refusal>) -> Void] = [:]

    /// Has a call wait for its session's journal.
    func hold(_ ticket: Ticket, _ call: @escaping (Result<Decision, Refusal>) -> Void) {
        precondition(calls[ticket] == nil, "A ticket is one call's.")
        calls[ticket] = call
    }

    /// The outcome of what has waited under a ticket, if a call has.
    func finish(_ ticket: Ticket, _ result: Result<Decision, Refusal>) {
        calls.removeValue(forKey: ticket)?(result)
    }
}
