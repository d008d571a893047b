extension Store {
    /// Makes decided entries up to a version visible, in their order: state, observers, reactions,
    /// effects. What they dispatch waits; see `hasFollowUps`.
    public func commit(through last: UInt64) {
        guard !isBusy else { return }
        isBusy = true
        var count = 0
        while count < pending.count, pending[count].version <= last {
            commit(pending[count])
            count += 1
        }
        pending.removeFirst(count)
        isBusy = false
    }

    private func commit(_ entry: PendingEntry<State, Action>) {
        let old = state
        state = entry.state
        version = entry.version
        if entry.changed {
            lastChange = version
            notifyObservers()
            runner?.cancelOutOfScope(state)
        }
        if reactionCount > 0 { react(to: entry, old) }
        if !unsettled.isEmpty || runner != nil { settleIfDone(entry) }
    }

    private func react(to entry: PendingEntry<State, Action>, _ old: State) {
        let transition = Transition(
            old: old, new: entry.state, action: entry.action, version: entry.version,
            origin: entry.origin, cause: entry.cause, changed: entry.changed)
        for middleware in middleware where middleware.isEnabled {
            guard let react = middleware.react else { continue }
            for effect in react(transition) { start(effect, causedBy: entry) }
        }
    }

    private func start(
        _ effect: Effect<State, Action>, causedBy entry: PendingEntry<State, Action>
    ) {
        let chain = entry.chain + [entry.version]
        guard entry.depth < limits.chainLength else {
            return onDiagnostic(.chainCut(causes: chain, limit: limits.chainLength))
        }
        if case .dispatch(let action) = effect.kind {
            unsettled[entry.root, default: 0] += 1
            followUps.append(
                FollowUp(
                    action: action, origin: .effect, cause: entry.version, root: entry.root,
                    depth: entry.depth + 1, chain: chain))
            return
        }
        effectRunner().start(
            effect,
            .init(
                cause: entry.version, root: entry.root, depth: entry.depth, chain: chain,
                startedAt: .now))
    }

    /// Starts effects that no action asked for: those of a new or a restored session.
    public func start(_ effects: [Effect<State, Action>]) {
        for effect in effects {
            if case .dispatch(let action) = effect.kind {
                followUps.append(
                    FollowUp(
                        action: action, origin: .effect, cause: version, root: nil, depth: 1,
                        chain: [version]))
            } else {
                effectRunner().start(
                    effect,
                    .init(
                        cause: version, root: version, depth: 0, chain: [version],
                        startedAt: .now))
            }
        }
    }

    /// Takes a report of an effect: an action then waits as a follow-up (true), or there is
    /// nothing to dispatch, because the effect has ended or was cancelled before.
    public func accept(_ delivery: EffectDelivery<Action>) -> Bool {
        guard let runner, let (name, origin) = runner.origin(of: delivery.effect) else {
            return false
        }
        switch delivery.report {
        case .action(let action):
            let isSlow = origin.startedAt.duration(to: .now) >= limits.quietDuration
            unsettled[origin.root, default: 0] += 1
            followUps.append(
                FollowUp(
                    action: action, origin: .effect, cause: origin.cause, root: origin.root,
                    depth: isSlow ? 0 : origin.depth + 1,
                    chain: isSlow ? [] : origin.chain,
                    firstInterceptor: resumptions[name] ?? 0))
            return true
        case .ended:
            end(delivery.effect, name, origin.root)
        case .failed(let error):
            end(delivery.effect, name, origin.root)
            onDiagnostic(.effectFailed(name: name, error: error))
        }
        return false
    }

    private func end(_ id: UInt64, _ name: String, _ root: UInt64) {
        resumptions[name] = nil
        runner?.ended(id)
        tellIfSettled(root)
    }

    // MARK: Settling

    /// Whether nothing that a version started, or that followed from it, is still under way.
    public func isSettled(_ root: UInt64) -> Bool {
        unsettled[root] == nil && !(runner?.holds(root: root) ?? false)
    }

    private func settleIfDone(_ entry: PendingEntry<State, Action>) {
        if entry.root == entry.version { tellIfSettled(entry.root) } else { settle(entry.root) }
    }

    /// One thing less that a root waits for.
    func settle(_ root: UInt64) {
        guard let count = unsettled[root] else { return }
        unsettled[root] = count > 1 ? count - 1 : nil
        tellIfSettled(root)
    }

    private func tellIfSettled(_ root: UInt64) {
        guard let onSettled, isSettled(root) else { return }
        onSettled(root)
    }

    /// What runs and what waits to begin.
    public var runningEffects: [RunningEffect] { runner?.list ?? [] }

    /// Whether no effect runs.
    public var isIdle: Bool { runner?.isIdle ?? true }

    /// Cancels everything that runs or waits: the session has ended.
    public func cancelAllEffects() {
        runner?.cancelAll()
        followUps = []
        unsettled = [:]
    }
}
