extension Ledger {
    /// Submits actions that code of the server dispatches, one or a batch.
    ///
    /// - Parameters:
    ///   - principal: the one on whose behalf they are dispatched; nil: the server itself.
    ///   - chain: the chain of causes in other sessions that has led to them.
    package func submit(
        _ actions: [Action], by principal: Principal?, at time: Timestamp, after chain: OuterChain?,
        keeping keep: Keep
    ) -> BatchOutcome {
        precondition(!actions.isEmpty, "A handle dispatches at least one action.")
        let incoming = IncomingAction(
            actions[0], batch: actions.count > 1 ? actions : nil, origin: .server, by: principal,
            at: time, chain: chain)
        guard !consequences.busy.isBusy else { return .rejected(index: 0, .tooManyActions) }
        let proposal = submit(incoming, keep)
        guard actions.count == 1 else { return proposal.batchOutcome }
        switch proposal.outcome {
        case .rejected(let rejection): return .rejected(index: 0, rejection)
        case .refused: return .refused
        case .accepted, .dropped, .delayed, .queued: return .accepted([proposal.outcome])
        }
    }

    /// Tells of a part of the state after each commit in which it differs, until the subscription
    /// ends.
    package func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        observers.observe(select, onChange)
    }
}
