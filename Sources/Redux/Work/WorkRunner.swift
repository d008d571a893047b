/// Keeps the works and effects of one session going: hands what the committed state wants to the
/// table, and does what the table says. Each run has a task, which is cancelled when the table drops
/// it, and the earliest alarm has one.
///
/// It belongs to the store's isolation, where all its functions are called; operations run in Swift's
/// pool, or where the environment says. What `deliver` is given comes back to `accept` in the store's
/// isolation.
final class WorkRunner<Action: Sendable> {
    /// The number of actions of one run that may be on their way to the store.
    static var windowSize: Int { 100 }

    private let session: SessionID
    private let environment: Environment
    private let deliver: @Sendable (StoreDelivery<Action>) -> Void
    private let elapsed: @Sendable () -> Duration
    var table: WorkTable<Action>
    private var runs: [UInt64: (run: WorkRun<Action>, task: Task<Void, Never>, window: Turns)] = [:]
    private var timer: Task<Void, Never>?

    /// - Parameters:
    ///   - session: the session, for contexts.
    ///   - epoch: the first part of the session's tokens, with which keys begin.
    ///   - records: what was kept of the session's works when it was in memory last.
    ///   - deliver: brings news of a run into the store's isolation; called from anywhere.
    init(
        session: SessionID, epoch: String, environment: Environment, limits: StoreLimits,
        records: [WorkRecord] = [], deliver: @escaping @Sendable (StoreDelivery<Action>) -> Void
    ) {
        self.session = session
        self.environment = environment
        self.deliver = deliver
        elapsed = environment.clock.timeSinceNow()
        table = WorkTable(of: session, epoch: epoch, limits: limits, records: records)
    }

    deinit {
        timer?.cancel()
        for id in Array(runs.keys) { cancel(id) }
    }

    /// The works that run, wait or are paused, and the alarms, the oldest first.
    var works: [RunningWork] {
        table.works.map { run, work in
            var work = work
            work.attempt = run.flatMap { runs[$0]?.run.attempt } ?? 0
            return work
        }
    }

    /// Changes the table, does what it says, and answers with what is left for the store.
    func update(_ change: (inout WorkTable<Action>) -> Void) -> [WorkStep<Action>] {
        table.now = (elapsed(), environment.now())
        change(&table)
        return table.drainSteps().filter(isLeftToStore)
    }

    /// Lets a run that has reported go on, or forgets it where that was its end.
    func close(_ delivery: StoreDelivery<Action>) {
        switch delivery.content {
        case .sent: runs[delivery.run]?.window.leave()
        case .ended: cancel(delivery.run)
        case .alarmDue: break
        }
    }

    /// Does a step, unless it is one for the store.
    private func isLeftToStore(_ step: WorkStep<Action>) -> Bool {
        switch step {
        case .start(let run): start(run)
        case .cancel(let id): cancel(id)
        case .finish(let id):
            // The try that is under way ends, and no other begins.
            if let live = runs[id], live.run.finish() { live.task.cancel() }
        case .arm(let time): arm(time)
        case .report, .diagnose, .effectEnded: return true
        }
        return false
    }

    private func cancel(_ id: UInt64) {
        guard let run = runs.removeValue(forKey: id) else { return }
        run.window.close()
        run.task.cancel()
    }

    private func start(_ run: WorkRun<Action>) {
        let window = Turns(size: Self.windowSize)
        let (session, environment, deliver) = (session, environment, deliver)
        let report: @Sendable (Action) async throws -> Void = { action in
            try await window.enter()
            deliver(StoreDelivery(run: run.id, content: .sent(action)))
        }
        let (begin, elapsed) = (elapsed() + run.delay, elapsed)
        let chain = WorkChain(
            key: run.key, depth: run.cause.depth + 1, outer: run.cause.outer,
            elapsed: { elapsed() - begin })
        let task = Task(executorPreference: environment.executor) {
            let content = await run.perform(in: environment) { attempt in
                WorkContext(
                    session: session, attempt: attempt, key: run.key,
                    surroundings: environment.surround?(chain), environment: environment,
                    report: report)
            }
            deliver(StoreDelivery(run: run.id, content: content))
        }
        runs[run.id] = (run, task, window)
    }

    private func arm(_ time: Timestamp?) {
        timer?.cancel()
        guard let time else { return }
        let (environment, deliver) = (environment, deliver)
        timer = Task(executorPreference: environment.executor) {
            do {
                // The wall clock may have been moved back meanwhile.
                while case let now = environment.now(), now < time {
                    let (rest, isFar) = time.milliseconds
                        .subtractingReportingOverflow(now.milliseconds)
                    try await environment.sleep(for: .milliseconds(isFar ? Int64.max : rest))
                }
            } catch {
                return
            }
            guard !Task.isCancelled else { return }
            deliver(StoreDelivery(run: 0, content: .alarmDue))
        }
    }
}
