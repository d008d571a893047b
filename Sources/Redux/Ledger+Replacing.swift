extension Ledger {
    /// Sets the state by an entry without an action; no interceptor, reducer or reaction is asked. It
    /// counts as a change whatever it holds: nobody is to learn whether they have guessed a secret.
    package func replaceState(
        with new: State, by principal: Principal, at time: Timestamp, keeping keep: Keep
    ) -> Outcome {
        guard !consequences.busy.isBusy else { return .rejected(.tooManyActions) }
        if hasCausedActions { submitCausedActions(keeping: keep) }
        let version = headVersion + 1
        reduction.step.begin(version: version, by: principal, at: time, cause: nil)
        let entry = PendingEntry<State, Action>(
            Entry(
                nil, reduction.step, version: version, origin: .inspector, cause: nil, changed: true
            ),
            cause: nil, state: new)
        var answer = Keeping.refused
        consequences.busy.during { answer = keep(StagedEntries([entry], state: new)) }
        // Where the entries that it stands on were reverted meanwhile, it falls with them.
        let isTaken = answer != .refused && headVersion + 1 == version
        if isTaken { enter(entry, isKept: answer == .kept) }
        submitCausedActions(keeping: keep)
        return isTaken
            ? .accepted(first: version, last: version, changed: entry.changed) : .refused
    }
}
