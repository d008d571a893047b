extension Store {
    /// Makes decided entries up to a version visible, in their order: state, observers, reactions,
    /// effects. What they dispatch waits; see `submitFollowUps(keeping:)`.
    ///
    /// Entries that were decided together are committed together, or not yet.
    public func commit(through last: UInt64) {
        guard !isBusy, !pending.isEmpty else { return }
        isBusy = true
        isPlain = false
        var start = 0
        while let end = pending[start...].firstIndex(where: { $0.state != nil }),
            pending[end].version <= last
        {
            commitTogether(start...end)
            if hasDecidedDelays { beginDelays(of: pending[end].version) }
            start = end + 1
        }
        if start == pending.count {
            pending.removeAll(keepingCapacity: true)
        } else {
            pending.removeFirst(start)
        }
        isBusy = false
        leaveScopes()
        tellSettled()
        updatePlainness()
    }

    /// Commits what the journal has kept meanwhile; false where that is nothing.
    @discardableResult
    func commitKept() -> Bool {
        guard keptVersion > committedVersion, pendingCount > 0 else { return false }
        commit(through: keptVersion)
        return true
    }

    /// Commits entries that were decided together: the last one has the state after all of them.
    ///
    /// Reactions see each step all the same. The states between are made once more for them, one
    /// at a time, rather than kept while the entries wait.
    private func commitTogether(_ entries: ClosedRange<Int>) {
        for index in entries {
            // A reaction may have reverted the rest.
            guard index < pending.count else { return }
            let entry = pending[index]
            pendingCount -= 1
            let new = entry.state ?? (reactionCount > 0 ? state(after: entry.action) : committed)
            publish(
                entry.action, new, entry.changed, entry.provenance,
                isToldLater: index < entries.upperBound)
        }
    }

    /// The state that an action which was accepted before makes of the committed one.
    private func state(after action: Action) -> State {
        var state = committed
        do throws(Rejection) {
            try reducer.reduce(&state, action)
            return state
        } catch {
            return committed
        }
    }

    /// Makes one step visible.
    func publish(
        _ action: Action, _ new: State, _ changed: Bool, _ provenance: Provenance,
        isToldLater: Bool = false
    ) {
        let old = committed
        committed = new
        committedVersion = provenance.version
        present = provenance
        if changed { changedVersion = provenance.version }
        tellObservers(of: old, changed, isToldLater: isToldLater)
        if changed { hasUnseenScopes = true }
        if reactionCount > 0 { react(to: action, old, new, changed, provenance) }
        present = nil
        if provenance.isCaused { release(provenance) }
    }

    private func tellObservers(of old: State, _ changed: Bool, isToldLater: Bool) {
        guard observersVersion != 0 else { return }
        if isToldLater {
            if changed, untold == nil { untold = old }
        } else if let first = untold {
            untold = nil
            notifyObservers(of: first, committed)
        } else if changed {
            notifyObservers(of: old, committed)
        }
    }

    private func react(
        to action: Action, _ old: State, _ new: State, _ changed: Bool, _ provenance: Provenance
    ) {
        let transition = Transition(
            old: old, new: new, action: action, version: provenance.version,
            origin: provenance.origin, cause: provenance.cause, changed: changed)
        for middleware in middleware where middleware.isEnabled {
            guard let react = middleware.react else { continue }
            for effect in react(transition) { start(effect, causedBy: provenance) }
        }
    }
}
