extension Store {
    /// Takes an action through everything: interceptors, reducer, commit, observers, effects, and
    /// whatever follows from it.
    ///
    /// Called from inside of another dispatch it returns `.queued`, and follows.
    @discardableResult
    public func dispatch(_ action: Action, origin: Origin = .client) -> Outcome {
        guard !isBusy else { return enqueue(action, origin) }
        if interceptorCount == 0, reactionCount == 0, pending.isEmpty, runner == nil {
            return dispatchPlainly(action)
        }
        let outcome = stage(action, origin: origin)
        commit(through: headVersion)
        dispatchFollowUps()
        return outcome
    }

    /// The way of an action that nothing stands around: no entry is made.
    private func dispatchPlainly(_ action: Action) -> Outcome {
        var next = state
        do throws(Rejection) {
            try reducer.reduce(&next, action)
        } catch {
            return .rejected(error)
        }
        version += 1
        let changed = next != state
        if changed {
            state = next
            lastChange = version
            if !observers.isEmpty {
                isBusy = true
                notifyObservers()
                isBusy = false
                if !followUps.isEmpty {
                    let reached = version
                    dispatchFollowUps()
                    return .accepted(first: reached, last: reached, changed: true)
                }
            }
        }
        return .accepted(first: version, last: version, changed: changed)
    }

    private func enqueue(_ action: Action, _ origin: Origin) -> Outcome {
        guard followUps.count < limits.queuedActions else {
            return .rejected(
                Rejection(
                    code: "too-many-queued", message: "Too many actions wait.", kind: .conflict))
        }
        followUps.append(
            FollowUp(
                action: action, origin: origin, cause: nil, root: nil, depth: 0, chain: []))
        return .queued
    }

    /// Dispatches what waits until nothing does; each chain is bounded by its limit.
    func dispatchFollowUps() {
        while !followUps.isEmpty {
            let next = followUps.removeFirst()
            stage(next)
            commit(through: headVersion)
        }
    }

    /// What waits to follow, taken by an owner that stages and commits itself.
    public var hasFollowUps: Bool { !followUps.isEmpty }

    /// Stages the next of what waits; nil where nothing does.
    public func stageFollowUp() -> Outcome? {
        guard !followUps.isEmpty else { return nil }
        return stage(followUps.removeFirst())
    }

    /// Takes a report of an effect through everything, for owners that dispatch.
    public func receive(_ delivery: EffectDelivery<Action>) {
        guard accept(delivery), !isBusy else { return }
        dispatchFollowUps()
    }
}
