extension Store {
    /// Takes an action through everything: interceptors, reducer, commit, observers, effects, and
    /// whatever follows from it.
    ///
    /// Called from inside of another dispatch it returns `.queued`, and follows.
    @inlinable @discardableResult
    public func dispatch(_ action: Action, origin: Origin = .client) -> Outcome {
        guard isPlain else { return dispatchFully(action, origin) }
        isBusy = true
        isPlain = false
        let old = committed
        var next = old
        do throws(Rejection) {
            try reducer.reduce(&next, action)
        } catch {
            endPlainly()
            return .rejected(error)
        }
        let version = committedVersion + 1
        committedVersion = version
        guard next != old else {
            endPlainly()
            return .accepted(first: version, last: version, changed: false)
        }
        committed = next
        changedVersion = version
        if observersVersion != 0 { notifyObservers(of: old, next) }
        endPlainly()
        return .accepted(first: version, last: version, changed: true)
    }

    /// Ends the short way of an action, and dispatches what was dispatched meanwhile.
    @inlinable
    func endPlainly() {
        isBusy = false
        isPlain = true
        if isDisturbed { resume() }
    }

    /// After a reducer or observers that dispatched, started effects or switched middleware.
    @usableFromInline
    func resume() {
        isDisturbed = false
        tellSettled()
        dispatchFollowUps()
    }

    /// Runs code of a caller so that what it dispatches follows, unless an owner that stages and
    /// commits has other things waiting.
    @usableFromInline
    func deferringDispatches(_ body: () -> Void) {
        guard !isBusy else { return body() }
        let hasOthers = hasFollowUps || !pending.isEmpty
        isBusy = true
        isPlain = false
        body()
        isBusy = false
        tellSettled()
        if !hasOthers { dispatchFollowUps() }
        updatePlainness()
    }

    @usableFromInline
    func dispatchFully(_ action: Action, _ origin: Origin) -> Outcome {
        guard !isBusy else { return enqueue(action, origin) }
        if hasFollowUps { dispatchFollowUps() }
        let outcome = dispatchNext(FollowUp(action: action, origin: origin))
        if hasFollowUps || hasUnseenScopes { dispatchFollowUps() } else { updatePlainness() }
        return outcome
    }

    /// Dispatches several actions: all of them, or none. Observers are told of them at once.
    @discardableResult
    public func dispatch(batch actions: [Action], origin: Origin = .client) -> BatchOutcome {
        guard !isBusy else { return enqueue(batch: actions, origin) }
        dispatchFollowUps()
        let outcome = stage(batch: actions, origin: origin)
        commit(through: headVersion)
        dispatchFollowUps()
        return outcome
    }

    /// Stages and commits one action. No entry is made where the two cannot be told apart.
    @discardableResult
    private func dispatchNext(_ next: FollowUp<Action>) -> Outcome {
        guard pendingCount == 0, next.batch.isEmpty else {
            let outcome = stage(next)
            commit(through: headVersion)
            return outcome
        }
        beginDeciding(next)
        let outcome =
            interceptorCount == 0 ? dispatchNow(next.action, next) : dispatchIntercepted(next)
        endDeciding()
        if pendingCount > 0 { commit(through: headVersion) } else { tellSettled() }
        return outcome
    }

    private func dispatchIntercepted(_ next: FollowUp<Action>) -> Outcome {
        let mark = pending.count
        let passage = passInterceptors(next)
        let outcome: Outcome
        if case .one(let action) = passage {
            outcome = dispatchNow(action, next)
        } else {
            outcome = reduce(passage, next)
            conclude(next, outcome)
        }
        concludeInterception(outcome.isRejected, since: mark)
        return outcome
    }

    private func dispatchNow(_ action: Action, _ next: FollowUp<Action>) -> Outcome {
        var after = committed
        do throws(Rejection) {
            try runReducer(&after, action)
        } catch {
            conclude(next, .rejected(error))
            return .rejected(error)
        }
        let provenance = provenance(next.origin, next.cause == nil ? nil : next)
        let changed = after != committed
        publish(action, after, changed, provenance)
        let version = provenance.version
        return .accepted(first: version, last: version, changed: changed)
    }

    /// Lets an action that was dispatched from inside follow.
    func enqueue(_ action: Action, _ origin: Origin) -> Outcome {
        let next = FollowUp(action: action, origin: origin)
        if let rejection = follow(next, presentCause(origin)) { return .rejected(rejection) }
        return .queued
    }

    /// The same for several: all or none.
    func enqueue(batch actions: [Action], _ origin: Origin) -> BatchOutcome {
        guard let first = actions.first else { return .accepted([]) }
        let batch = actions.count > 1 ? actions : []
        let next = FollowUp(action: first, origin: origin, batch: batch)
        if let rejection = follow(next, presentCause(origin)) {
            return .rejected(index: 0, rejection)
        }
        return .accepted(actions.map { _ in .queued })
    }

    private func presentCause(_ origin: Origin) -> Provenance {
        present ?? deciding?.deepened
            ?? Provenance(version: version, origin: origin, root: version)
    }

    /// Queues an action behind the entry that caused it, unless too many wait, its chain is too
    /// long already, or too many follow from the same root: why it was not.
    func follow(_ action: FollowUp<Action>, _ cause: Provenance) -> Rejection? {
        guard followUps.count + action.count <= limits.queuedActions else {
            return .tooManyActions
        }
        let chain = cause.chain + [cause.version]
        guard cause.depth < limits.chainLength else {
            diagnose(.chainCut(causes: chain, limit: limits.chainLength))
            return .chainCut
        }
        var descendants = unsettled[cause.root] ?? Descendants()
        guard descendants.count + action.count <= limits.followingActions else {
            cut(chain, after: cause.root)
            return .chainCut
        }
        descendants.waiting += 1
        descendants.count += action.count
        unsettled[cause.root] = descendants
        isDisturbed = true
        var next = action
        next.cause = cause.version
        next.root = cause.root
        next.depth = cause.depth + 1
        next.chain = chain
        followUps.append(next)
        return nil
    }

    /// Nothing more follows from a root; told once.
    private func cut(_ chain: [UInt64], after root: UInt64) {
        guard unsettled[root]?.count ?? 0 <= limits.followingActions else { return }
        unsettled[root]?.count = limits.followingActions + 1
        diagnose(.chainCut(causes: chain, limit: limits.followingActions))
    }

    /// Dispatches what waits until nothing does; chains and their number are bounded.
    @usableFromInline
    func dispatchFollowUps() {
        repeat {
            while let next = followUps.popFirst() { dispatchNext(next) }
            leaveScopes()
            tellSettled()
        } while hasFollowUps
        updatePlainness()
    }

    /// Whether something waits to follow, for an owner that stages and commits itself.
    public var hasFollowUps: Bool { !followUps.isEmpty }

    /// Stages the next of what waits; nil where nothing does.
    public func stageFollowUp() -> Outcome? {
        guard let next = followUps.popFirst() else { return nil }
        defer { updatePlainness() }
        return stage(next)
    }

    /// Takes a report of an effect through everything, for owners that dispatch.
    public func receive(_ delivery: EffectDelivery<Action>) {
        guard accept(delivery), !isBusy else { return }
        dispatchFollowUps()
    }
}
