/// Does what the schedule says: each effect that runs has a task, which is cancelled when the
/// schedule drops it. Owned by the store's isolation; operations run in Swift's pool, or where the
/// environment says.
final class EffectRunner<Action: Sendable> {
    private struct Run {
        var task: Task<Void, Never>
        var window: WorkWindow

        func cancel() {
            window.close()
            task.cancel()
        }
    }

    private let session: SessionID
    private let epoch: String
    private let environment: Environment
    private let limits: StoreLimits
    private let deliver: (@Sendable (StoreDelivery<Action>) -> Void)?
    private let now: @Sendable () -> Duration
    private var schedule: EffectSchedule<Action>
    private var runs: [UInt64: Run] = [:]

    /// - Parameters:
    ///   - session: the session, for contexts.
    ///   - epoch: the first part of the session's tokens, with which keys begin.
    ///   - deliver: brings a report into the store's isolation; called from anywhere.
    init(
        session: SessionID, epoch: String, environment: Environment, limits: StoreLimits,
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)?
    ) {
        self.session = session
        self.epoch = epoch
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
                name: entry.name, cause: entry.cause.version, root: entry.cause.root,
                depth: entry.cause.depth, startedAt: entry.startedAt,
                isWaiting: !schedule.isRunning(entry.id))
        }
    }

    func holds(root: UInt64) -> Bool { schedule.holds(root: root) }

    func takeReleasedRoots() -> [UInt64] { schedule.takeReleasedRoots() }

    /// Starts, queues or drops an effect, as the rule for its name says; answers with what went
    /// wrong.
    ///
    /// - Parameter continuation: the place where the action that it waits for goes on.
    func start(
        _ effect: Effect<Action>, _ cause: Cause,
        _ continuation: DelayedAction<Action>.Continuation? = nil
    ) -> StoreDiagnostic? {
        guard deliver != nil else {
            return .effectFailed(
                name: effect.name ?? "effect",
                error: "A store without `deliver` has no way back for effects.")
        }
        let admission = schedule.add(effect, cause, continuation, at: now(), environment.now())
        perform()
        guard case .exhausted(let limit) = admission else { return nil }
        return .effectsExhausted(name: effect.name ?? "effect", limit: limit)
    }

    /// Tells whether one of a name could begin, beside others that are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        schedule.hasRoom(for: name, beside: others)
    }

    func cancelAll() {
        schedule.cancelAll()
        perform()
    }

    /// The effect that a report is from; nil once it was cancelled or has ended.
    func take(_ delivery: EffectDelivery<Action>) -> EffectEntry<Action>? {
        guard var entry = schedule.entry(delivery.effect) else { return nil }
        if case .action = delivery.report { runs[delivery.effect]?.window.leave() }
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

    private func begin(_ entry: EffectEntry<Action>) {
        guard let deliver, case .run(let operation) = entry.effect.kind else { return }
        let id = entry.id
        let report: @Sendable (EffectDelivery<Action>.Report) -> Void = { report in
            deliver(StoreDelivery(content: .effect(EffectDelivery(effect: id, report: report))))
        }
        let window = WorkWindow(size: WorkRunner<Action>.windowSize)
        let key = "\(epoch)-\(entry.cause.version)/\(entry.name)"
        let (begin, now) = (entry.begin, now)
        let chain = WorkChain(key, after: entry.cause, elapsed: { now() - begin })
        let context = WorkContext<Action>(
            session: session, attempt: 1, key: key, isFirst: true,
            surroundings: environment.surround?(chain), environment: environment
        ) { action in
            try await window.enter()
            report(.action(action))
        }
        let task = Task(executorPreference: environment.executor) {
            do {
                try await operation(context)
                report(.ended)
            } catch {
                report(Task.isCancelled ? .ended : .failed(String(describing: error)))
            }
        }
        runs[id] = Run(task: task, window: window)
    }
}
