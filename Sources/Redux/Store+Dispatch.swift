extension Store {
    /// Dispatches an action for a store whose entries need no journal: they are kept at once.
    ///
    /// Called from inside of another dispatch it returns `.queued`, and follows.
    @inlinable @discardableResult
    public func dispatch(_ action: Action, origin: Origin = .client) -> Outcome {
        submit(action, origin: origin) { _ in .kept }
    }

    /// Dispatches several actions: all of them, or none. Observers are told of them at once.
    @discardableResult
    public func dispatch(batch actions: [Action], origin: Origin = .client) -> BatchOutcome {
        submit(batch: actions, origin: origin) { _ in .kept }
    }

    /// Takes an action through everything: interceptors, reducer, journal, commit, observers,
    /// effects, and whatever follows from it.
    ///
    /// - Parameter keep: hands entries over to the journal, and is called once for the action and
    ///   once for each action that follows from it. Where it answers `later`, the entries are
    ///   pending: the owner calls `commit(through:)` once they are kept, or `revert()`.
    @inlinable @discardableResult
    public func submit(
        _ action: Action, origin: Origin = .client,
        keeping keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Outcome {
        guard isPlain else { return submitFully(action, origin, keep) }
        isBusy = true
        isPlain = false
        let old = committed
        var next = old
        do throws(Rejection) {
            try reducer.reduce(&next, action)
        } catch {
            endPlainly(keep)
            return .rejected(error)
        }
        let version = committedVersion + 1
        let changed = next != old
        switch keep(
            StagedEntries(action, origin, version: version, changed: changed, state: next))
        {
        case .kept: break
        case .later:
            makePending(action, origin, changed, next)
            endPlainly(keep)
            return .accepted(first: version, last: version, changed: changed)
        case .refused:
            endPlainly(keep)
            return .refused
        }
        committedVersion = version
        if changed {
            committed = next
            changedVersion = version
            if observersVersion != 0 { notifyObservers(of: old, next) }
        }
        endPlainly(keep)
        return .accepted(first: version, last: version, changed: changed)
    }

    /// Ends the short way of an action, and submits what was dispatched meanwhile.
    @inlinable
    func endPlainly(_ keep: (StagedEntries<State, Action>) -> Keeping) {
        isBusy = false
        isPlain = true
        if isDisturbed { resume(keep) }
    }

    /// Makes the action of the short way an entry that waits for its journal.
    @usableFromInline
    func makePending(_ action: Action, _ origin: Origin, _ changed: Bool, _ state: State) {
        pending.append(
            PendingEntry(
                provenance: provenance(origin, nil), action: action, changed: changed,
                state: state))
        pendingCount += 1
        isDisturbed = true
    }

    /// After a journal that answers later, and after a reducer or observers that dispatched,
    /// started effects or switched middleware.
    @usableFromInline
    func resume(_ keep: (StagedEntries<State, Action>) -> Keeping) {
        isDisturbed = false
        tellSettled()
        submitFollowUps(keeping: keep)
    }

    /// Runs code of a caller so that what it dispatches follows, unless an owner that submits has
    /// other things waiting.
    @usableFromInline
    func deferringDispatches(_ body: () -> Void) {
        guard !isBusy else { return body() }
        let hasOthers = hasFollowUps || !pending.isEmpty
        isBusy = true
        isPlain = false
        body()
        isBusy = false
        tellSettled()
        if !hasOthers { submitFollowUps { _ in .kept } }
        updatePlainness()
    }

    @usableFromInline
    func submitFully(
        _ action: Action, _ origin: Origin, _ keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Outcome {
        guard !isBusy else { return enqueue(action, origin) }
        if hasFollowUps { submitFollowUps(keeping: keep) }
        let outcome = submit(FollowUp(action: action, origin: origin), keep)
        if hasFollowUps || hasUnseenScopes {
            submitFollowUps(keeping: keep)
        } else {
            updatePlainness()
        }
        return outcome
    }

    /// Submits several actions as one: all of them are kept, or none. Observers are told of them
    /// at once; no state between them is ever visible.
    @discardableResult
    public func submit(
        batch actions: [Action], origin: Origin = .client,
        keeping keep: (StagedEntries<State, Action>) -> Keeping
    ) -> BatchOutcome {
        guard !isBusy else { return enqueue(batch: actions, origin) }
        submitFollowUps(keeping: keep)
        isBusy = true
        isPlain = false
        let mark = pending.count
        var outcome = decide(batch: actions, origin, nil)
        if case .accepted(let outcomes) = outcome, !handOver(from: mark, outcomes, keep) {
            outcome = .refused
        }
        concludeInterception(outcome.isRefused, since: mark)
        isBusy = false
        commitKept()
        submitFollowUps(keeping: keep)
        return outcome
    }

    /// Submits everything that waits to follow, until nothing does; chains and their number are
    /// bounded.
    public func submitFollowUps(keeping keep: (StagedEntries<State, Action>) -> Keeping) {
        guard !isBusy else { return }
        repeat {
            while let next = followUps.popFirst() { submit(next, keep) }
            leaveScopes()
            tellSettled()
        } while hasFollowUps
        updatePlainness()
    }

    /// Whether something waits to follow.
    public var hasFollowUps: Bool { !followUps.isEmpty }

    /// Takes a report of an effect through everything, for a store that needs no journal.
    public func receive(_ delivery: EffectDelivery<Action>) {
        guard accept(delivery), !isBusy else { return }
        submitFollowUps { _ in .kept }
    }

    // MARK: One action

    /// Decides about an action, hands it over, and commits it where it is kept.
    @discardableResult
    private func submit(
        _ next: FollowUp<Action>, _ keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Outcome {
        let mark = pending.count
        beginDeciding(next)
        let outcome =
            pendingCount == 0 && next.batch.isEmpty
            ? submitAlone(next, keep) : stage(next, nil, keep)
        concludeInterception(outcome.isRefused, since: mark)
        endDeciding()
        if !commitKept() { tellSettled() }
        return outcome
    }

    /// Decides about an action while nothing is pending: one that stays one needs no entry.
    private func submitAlone(
        _ next: FollowUp<Action>, _ keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Outcome {
        guard interceptorCount > 0 else { return submitNow(next.action, next, keep) }
        let passage = passInterceptors(next)
        if case .one(let action) = passage { return submitNow(action, next, keep) }
        return stage(next, passage, keep)
    }

    private func submitNow(
        _ action: Action, _ next: FollowUp<Action>,
        _ keep: (StagedEntries<State, Action>) -> Keeping
    ) -> Outcome {
        var after = committed
        do throws(Rejection) {
            try runReducer(&after, action)
        } catch {
            conclude(next, .rejected(error))
            return .rejected(error)
        }
        let entry = PendingEntry(
            provenance: provenance(next.origin, next.cause == nil ? nil : next), action: action,
            changed: after != committed, state: after)
        let version = entry.version
        switch keep(StagedEntries(entry, state: after)) {
        case .kept: publish(action, after, entry.changed, entry.provenance)
        case .later:
            pending.append(entry)
            pendingCount += 1
        case .refused:
            conclude(next, .refused)
            return .refused
        }
        return .accepted(first: version, last: version, changed: entry.changed)
    }
}
