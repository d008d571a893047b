/// The outcome of an action that an entry, an effect or a piece of work has led to, which no caller
/// learns of.
package struct CausedOutcome<Action: Sendable>: Sendable {
    package let action: Action
    package let origin: Origin
    /// The one who sent an action that was delayed, or who has caused the work that reports; never an
    /// authority. Nil: the server itself.
    package let principal: Principal?
    package let outcome: Outcome

    init(_ incoming: IncomingAction<Action>, _ outcome: Outcome) {
        action = incoming.action
        origin = incoming.origin
        principal = incoming.by ?? incoming.causer
        self.outcome = outcome
    }
}
