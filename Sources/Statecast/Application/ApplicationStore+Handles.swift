import Redux
import Sessions
import StateCoding

/// The ways in for the server's own code: handles, and facts about the session.
extension ApplicationStore {
    /// Decides about actions that a handle dispatches, as `submit` does about those that are posted.
    func submit(
        _ actions: HandledActions<App.Action>, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        let outcome = ledger.submit(
            actions.list, by: actions.principal, at: time, after: actions.chain
        ) { hand($0, to: append) }
        let result = Result { () throws(Refusal) in
            try Self.decision(of: actions, outcome, at: headVersion)
        }
        context.counts.count(result, batch: actions.types, by: actions.principal, .server)
        return try result.get()
    }

    /// One action is no batch.
    private static func decision(
        of actions: HandledActions<App.Action>, _ outcome: BatchOutcome, at head: UInt64
    ) throws(Refusal) -> Decision {
        guard actions.list.count == 1 else { return try Decision(outcome, at: head) }
        switch outcome {
        case .accepted(let outcomes): return try Decision(outcomes.first ?? .dropped, at: head)
        case .rejected(_, let rejection): throw .rejected(rejection, index: nil)
        case .refused: throw .unknown
        }
    }

    /// Tells of a part of the committed state whenever it differs, until the subscription ends.
    func observe<Value: Equatable>(
        _ select: @escaping (App.State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        ledger.observers.observe(select, onChange)
    }

    var wantsSessionFacts: Bool { context.definition.facts != nil }

    func submit(
        _ fact: SessionFact, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        guard let action = context.definition.facts?.action(of: fact) else {
            return try Decision(.dropped, at: headVersion)
        }
        var isVoid = false
        let outcome = ledger.submit(action, origin: .server, at: time) { staged in
            // What changes nothing is no entry. Actions that it has caused are another matter.
            guard staged.changed || staged.isCaused else {
                isVoid = true
                return .refused
            }
            return hand(staged, to: append)
        }
        let fate = outcome == .refused && isVoid ? .dropped : outcome
        context.counts.count(
            context.definition.code.coder.typeNumber(of: action), by: nil, .server, .init(fate))
        return try Decision(fate, at: headVersion)
    }
}
