/// Does what the schedule says: each effect that runs has a task, which is cancelled when the
/// schedule drops it. Owned by the store's isolation; operations run in Swift's pool, or where the
/// environment says.
final class EffectRunner<State: Sendable, Action: Sendable> {
    struct Run {
        var task: Task<Void, Never>
        var reports: EffectReports
    }

    private let environment: Environment
    private let limits: StoreLimits
    private let deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    private let now: @Sendable () -> Duration
    private var schedule: EffectSchedule<State, Action>
    private var runs: [UInt64: Run] = [:]
    /// The committed state has changed since the scopes of running effects were looked at.
    private var hasUnseenScopes = false

    init(
        environment: Environment, limits: StoreLimits,
        deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    ) {
        self.environment = environment
        self.limits = limits
        self.deliver = deliver
        now = environment.clock.timeSinceNow()
        schedule = EffectSchedule(limits: limits)
    }

    deinit {
        for run in runs.values { run.cancel() }
    }

    var isIdle: Bool { schedule.isEmpty }

    var list: [RunningEffect] {
        schedule.entries.map { entry in
            RunningEffect(
                name: entry.effect.name, cause: entry.cause.version, root: entry.cause.root,
                depth: entry.cause.depth,
                startedAt: entry.startedAt, isWaiting: !schedule.isRunning(entry))
        }
    }

    func holds(root: UInt64) -> Bool { schedule.holds(root: root) }

    func takeReleasedRoots() -> [UInt64] { schedule.takeReleasedRoots() }

    /// Starts, queues or drops an effect, as its policy says, if the state is in its scope; answers
    /// with what went wrong.
    ///
    /// - Parameter continuation: the place where the action that it waits for goes on.
    func start(
        _ effect: Effect<State, Action>, _ cause: Cause, on state: State,
        _ continuation: DelayedAction<Action>.Continuation? = nil
    ) -> StoreDiagnostic? {
        guard effect.scope?(state) ?? true else { return nil }
        // Its overlap concerns only an effect of its name that the state has not left.
        if hasUnseenScopes { leave(state, effect.name) }
        let admission = schedule.add(effect, cause, continuation, at: now(), environment.now())
        perform()
        guard case .exhausted(let limit) = admission else { return nil }
        return .effectsExhausted(name: effect.name, limit: limit)
    }

    /// Tells whether one of a name could begin, beside others that are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        schedule.hasRoom(for: name, beside: others)
    }

    func cancel(_ name: String) {
        schedule.cancel(name)
        perform()
    }

    /// Notes that the committed state has changed.
    func noteChange() { hasUnseenScopes = true }

    /// Cancels the effects whose scope the committed state has left.
    ///
    /// Called once for everything that one call from outside commits, not for each entry: states in
    /// between are seen by nobody, and each look evaluates the scope of every running effect.
    func leaveScopes(of state: State) {
        guard hasUnseenScopes else { return }
        hasUnseenScopes = false
        leave(state, nil)
    }

    private func leave(_ state: State, _ name: String?) {
        guard !schedule.isEmpty else { return }
        schedule.leave(state, name, at: now())
        perform()
    }

    func cancelAll() {
        schedule.cancelAll()
        perform()
    }

    /// The effect that a report is from; nil once it was cancelled or has ended.
    func take(_ delivery: EffectDelivery<Action>) -> EffectEntry<State, Action>? {
        guard var entry = schedule.entry(delivery.effect) else { return nil }
        if case .action = delivery.report { runs[delivery.effect]?.reports.leave() }
        entry.cause.isLate = now() - entry.begin >= limits.quietDuration
        return entry
    }

    /// Forgets an effect that is over, and begins the next one of its name.
    func end(_ id: UInt64) {
        runs.removeValue(forKey: id)?.cancel()
        schedule.end(id, at: now())
        perform()
    }

    private func perform() {
        for step in schedule.takeSteps() {
            switch step {
            case .begin(let entry): begin(entry)
            case .cancel(let id): runs.removeValue(forKey: id)?.cancel()
            }
        }
    }

    private func begin(_ entry: EffectEntry<State, Action>) {
        guard let deliver else {
            preconditionFailure("A store with effects needs a way to deliver their actions.")
        }
        guard case .run(let operation) = entry.effect.kind else { return }
        let (id, effect) = (entry.id, entry.effect)
        let reports = EffectReports(limit: limits.queuedReports)
        let context = EffectContext<Action>(environment: environment) { action in
            switch reports.enter() {
            case .delivered: deliver(EffectDelivery(effect: id, report: .action(action)))
            case .overflowed:
                let error = "sent more than \(reports.limit) actions that nobody took"
                deliver(EffectDelivery(effect: id, report: .failed(error)))
            case .closed: break
            }
        }
        let task = Task(executorPreference: environment.executor) {
            let report = await EffectOperation.run(operation, of: effect, context)
            deliver(EffectDelivery(effect: id, report: report))
        }
        runs[id] = Run(task: task, reports: reports)
    }
}

extension EffectRunner.Run {
    func cancel() {
        reports.close()
        task.cancel()
    }
}
