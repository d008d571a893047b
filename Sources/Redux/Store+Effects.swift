extension Store {
    /// Starts effects that no action asked for: those of a new or a restored session.
    public func start(_ effects: [Effect<State, Action>]) {
        let provenance = Provenance(version: version, origin: .effect, root: version)
        for effect in effects { start(effect, causedBy: provenance) }
        tellSettled()
        updatePlainness()
    }

    func start(_ effect: Effect<State, Action>, causedBy provenance: Provenance) {
        switch effect.kind {
        case .dispatch(let action): follow(action, .effect, provenance)
        case .cancel: runner?.cancel(effect.name)
        case .run:
            guard provenance.depth < limits.chainLength else {
                let chain = provenance.chain + [provenance.version]
                return onDiagnostic(.chainCut(causes: chain, limit: limits.chainLength))
            }
            guard effect.scope?(committed) ?? true else { return }
            effectRunner().start(effect, provenance)
        }
    }

    /// Takes a report of an effect: an action then waits as a follow-up (true), or there is
    /// nothing to dispatch, because the effect has ended or was cancelled before.
    public func accept(_ delivery: EffectDelivery<Action>) -> Bool {
        guard let runner, let entry = runner.take(delivery) else { return false }
        switch delivery.report {
        case .action(let action):
            queue(action, reportedBy: entry)
            return true
        case .ended:
            end(entry)
        case .failed(let error):
            end(entry)
            onDiagnostic(.effectFailed(name: entry.effect.name, error: error))
        }
        return false
    }

    private func queue(_ action: Action, reportedBy entry: EffectEntry<State, Action>) {
        let provenance = entry.provenance
        let name = entry.effect.name
        let rest = resumptions[name]
        isPlain = false
        unsettled[provenance.root, default: 0] += 1
        isDisturbed = true
        followUps.append(
            FollowUp(
                action: action, origin: rest?.origin ?? .effect, cause: provenance.version,
                root: provenance.root, depth: entry.isSlow ? 0 : provenance.depth + 1,
                chain: entry.isSlow ? [] : provenance.chain + [provenance.version],
                firstInterceptor: rest?.firstInterceptor ?? 0, effect: name))
    }

    private func end(_ entry: EffectEntry<State, Action>) {
        resumptions[entry.effect.name] = nil
        runner?.end(entry.id)
        tellSettled()
        if !isBusy { updatePlainness() }
    }

    // MARK: Settling

    /// Whether nothing that a version started, or that followed from it, is still under way.
    public func isSettled(_ root: UInt64) -> Bool {
        unsettled[root] == nil && !(runner?.holds(root: root) ?? false)
    }

    /// One thing less that a root waits for.
    func release(_ root: UInt64) {
        guard let count = unsettled[root] else { return }
        unsettled[root] = count > 1 ? count - 1 : nil
        if count == 1, onSettled != nil { released.append(root) }
    }

    /// Tells of the roots that wait for nothing any more.
    func tellSettled() {
        guard let onSettled else { return }
        if let runner { released += runner.takeReleasedRoots() }
        guard !released.isEmpty else { return }
        let roots = Set(released)
        released = []
        for root in roots.sorted() where isSettled(root) { onSettled(root) }
    }

    /// What runs and what waits to begin.
    public var runningEffects: [RunningEffect] { runner?.list ?? [] }

    /// Whether no effect runs.
    public var isIdle: Bool { runner?.isIdle ?? true }

    /// Cancels everything that runs or waits: the session has ended.
    public func cancelAllEffects() {
        runner?.cancelAll()
        followUps.removeAll()
        resumptions = [:]
        for root in unsettled.keys where onSettled != nil { released.append(root) }
        unsettled = [:]
        for entry in pending.suffix(pendingCount) where entry.provenance.isCaused {
            unsettled[entry.provenance.root, default: 0] += 1
        }
        tellSettled()
        if !isBusy { updatePlainness() }
    }
}
