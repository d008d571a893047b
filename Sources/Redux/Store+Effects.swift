extension Store {
    /// Starts effects that no action asked for: those of a new or a restored session. What they
    /// dispatch at once is dispatched before this returns.
    ///
    /// - Parameter staging: leaves what they dispatch to `stageFollowUp`.
    public func start(_ effects: [Effect<State, Action>], staging: Bool = false) {
        let provenance = Provenance(version: version, origin: .effect, root: version)
        func startAll() {
            for effect in effects { start(effect, causedBy: provenance) }
        }
        guard staging, !isBusy else { return deferringDispatches(startAll) }
        isBusy = true
        startAll()
        isBusy = false
        tellSettled()
        updatePlainness()
    }

    func start(_ effect: Effect<State, Action>, causedBy provenance: Provenance) {
        switch effect.kind {
        case .dispatch(let action):
            let rejection = follow(FollowUp(action: action, origin: .effect), provenance)
            guard let rejection, rejection == .tooManyActions else { return }
            diagnose(.followUpRejected(cause: provenance.version, rejection: rejection))
        case .cancel: runner?.cancel(effect.name)
        case .run:
            guard provenance.depth < limits.chainLength else {
                let chain = provenance.chain + [provenance.version]
                return diagnose(.chainCut(causes: chain, limit: limits.chainLength))
            }
            guard effect.scope?(committed) ?? true else { return }
            // Its overlap concerns only an effect of its name that the state has not left.
            if hasUnseenScopes { runner?.leave(committed, effect.name) }
            effectRunner().start(effect, provenance)
        }
    }

    /// Cancels the effects whose scope the committed state has left.
    ///
    /// Called once for everything that one call from outside commits, not for each entry: states in
    /// between are seen by nobody, and each look evaluates the scope of every running effect.
    func leaveScopes() {
        guard hasUnseenScopes else { return }
        hasUnseenScopes = false
        runner?.leave(committed)
    }

    /// Takes a report of an effect; whether something then waits to follow. Of an effect that has
    /// ended or was cancelled before, nothing does.
    public func accept(_ delivery: EffectDelivery<Action>) -> Bool {
        guard let runner, let entry = runner.take(delivery) else { return false }
        switch delivery.report {
        case .action(let action):
            queue(action, reportedBy: entry)
        case .ended:
            end(entry)
        case .failed(let error):
            end(entry)
            diagnose(
                .effectFailed(name: entry.effect.name, error: error), causedBy: entry.last)
        }
        updatePlainness()
        return hasFollowUps
    }

    private func queue(_ action: Action, reportedBy entry: EffectEntry<State, Action>) {
        let provenance = entry.provenance
        let name = entry.effect.name
        let rest = resumptions[name]
        isPlain = false
        unsettled[provenance.root, default: Descendants()].waiting += 1
        isDisturbed = true
        followUps.append(
            FollowUp(
                action: action, origin: rest?.origin ?? .effect, cause: provenance.version,
                root: provenance.root, depth: entry.isSlow ? 0 : provenance.depth + 1,
                chain: entry.isSlow ? [] : provenance.chain + [provenance.version],
                firstInterceptor: rest.map { firstInterceptor(after: $0) } ?? 0, effect: name))
    }

    private func end(_ entry: EffectEntry<State, Action>) {
        resumptions[entry.effect.name] = nil
        runner?.end(entry.id)
        let root = entry.provenance.root
        if onSettled != nil, isSettled(root) { released[root] = entry.last }
        tellSettled()
    }

    /// Tells of something; what is dispatched meanwhile follows. What goes wrong with that is not
    /// told: it would not come to an end.
    func diagnose(_ diagnostic: StoreDiagnostic, causedBy cause: Provenance? = nil) {
        guard !isDiagnosing else { return }
        let (wasBusy, before) = (isBusy, present)
        isBusy = true
        isPlain = false
        isDiagnosing = true
        if let cause { present = cause }
        onDiagnostic(diagnostic)
        present = before
        isDiagnosing = false
        isBusy = wasBusy
    }

    // MARK: Settling

    /// Whether nothing that a version started, or that followed from it, is still under way.
    public func isSettled(_ root: UInt64) -> Bool {
        unsettled[root] == nil && !(runner?.holds(root: root) ?? false)
    }

    /// One thing less that a root waits for.
    func release(_ last: Provenance) {
        guard let count = unsettled[last.root]?.waiting else { return }
        if count > 1 {
            unsettled[last.root]?.waiting = count - 1
        } else {
            unsettled[last.root] = nil
        }
        if count == 1, onSettled != nil { released[last.root] = last }
    }

    /// Tells of the roots that wait for nothing any more, once nothing is being dispatched.
    func tellSettled() {
        guard !isBusy else { return }
        let idle = runner?.takeReleasedRoots() ?? []
        guard let onSettled else { return }
        for root in idle where released[root] == nil {
            released[root] = Provenance(version: root, origin: .effect, root: root)
        }
        guard !released.isEmpty else { return }
        let settled = released.sorted { $0.key < $1.key }
        released = [:]
        isBusy = true
        isPlain = false
        for (root, last) in settled where isSettled(root) {
            present = last
            onSettled(root)
        }
        present = nil
        isBusy = false
    }

    /// What runs and what waits to begin.
    public var runningEffects: [RunningEffect] { runner?.list ?? [] }

    /// Whether no effect runs.
    public var isIdle: Bool { runner?.isIdle ?? true }

    /// Cancels everything that runs or waits, actions that wait to follow among it: the session has
    /// ended.
    public func cancelAllEffects() {
        runner?.cancelAll()
        followUps.removeAll()
        resumptions = [:]
        for root in unsettled.keys where onSettled != nil {
            released[root] = Provenance(version: root, origin: .effect, root: root)
        }
        unsettled = [:]
        for entry in pending.suffix(pendingCount) where entry.provenance.isCaused {
            unsettled[entry.provenance.root, default: Descendants()].waiting += 1
        }
        isDisturbed = true
        deferringDispatches {}
    }
}
