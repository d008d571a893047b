import Redux

extension Store {
    /// Submits an action to a journal that answers later.
    func stage(_ action: Action) -> Outcome {
        submit(action) { _ in .later }
    }

    /// Submits a batch to a journal that answers later.
    func stage(batch actions: [Action]) -> BatchOutcome {
        submit(batch: actions) { _ in .later }
    }
}
