/// Actions that are dispatched while another one is under way.
extension Store {
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
}
