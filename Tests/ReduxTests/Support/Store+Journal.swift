import Redux

/// The ledger of a store, as if its journal could answer later.
extension Store {
    var head: State { ledger.head }
    var headVersion: UInt64 { ledger.headVersion }
    var uncommitted: [Entry] { ledger.uncommitted }
    var hasCausedActions: Bool { ledger.consequences.hasActions }

    @discardableResult
    func submit(_ action: Action, keeping keep: Ledger<State, Action>.Keep) -> Outcome {
        ledger.submit(action, keeping: keep)
    }

    @discardableResult
    func submit(
        batch actions: [Action], keeping keep: Ledger<State, Action>.Keep
    ) -> BatchOutcome {
        ledger.submit(batch: actions, keeping: keep)
    }

    func submitCausedActions(keeping keep: Ledger<State, Action>.Keep) {
        ledger.submitCausedActions(keeping: keep)
    }

    func commit(through version: UInt64) { ledger.commit(through: version) }
    func revert() { ledger.revert() }

    /// Submits an action to a journal that answers later.
    func stage(_ action: Action) -> Outcome {
        submit(action) { _ in .later }
    }

    /// Submits a batch to a journal that answers later.
    func stage(batch actions: [Action]) -> BatchOutcome {
        submit(batch: actions) { _ in .later }
    }
}
