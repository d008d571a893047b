extension Store {
    /// Makes decided entries up to a version visible, in their order: state, observers, reactions,
    /// effects. What they dispatch waits; see `hasFollowUps`.
    public func commit(through last: UInt64) {
        guard !isBusy, !pending.isEmpty else { return }
        isBusy = true
        isPlain = false
        var count = 0
        while count < pending.count, pending[count].version <= last {
            let entry = pending[count]
            count += 1
            pendingCount -= 1
            publish(
                entry.action, entry.state, entry.changed, entry.provenance,
                isToldLater: entry.isToldLater && count < pending.count
                    && pending[count].version <= last)
            if hasDecidedDelays { beginDelays(of: entry.version) }
        }
        if count == pending.count {
            pending.removeAll(keepingCapacity: true)
        } else {
            pending.removeFirst(count)
        }
        isBusy = false
        leaveScopes()
        tellSettled()
        updatePlainness()
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
