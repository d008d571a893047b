/// Keeps the works of one session going: hands what the committed state wants to the table, and does
/// what the table says. Each run has a task, which is cancelled when the table drops it, and the
/// earliest alarm has one.
///
///     runner.want(application.work(in: committed), startedBy: WorkOrigin(…))
///     let news = runner.accept(delivery)
///     for report in news.reports { … dispatch report.action, caused by report.cause … }
///
/// Owned by the store's isolation, where all its functions are called; operations run in Swift's
/// pool, or where the environment says. Of its owner it asks that
///
/// - `want` is called after each publication that has changed the state, and once after loading;
/// - what `deliver` is given comes back to `accept` in the store's isolation, and the reports that
///   it answers with are dispatched before the released roots are asked for;
/// - `repeatAlarm` is called with the run of an alarm's report once its action was decided: behind
///   the `want` of the entry that it became, or when it was rejected or lost.
final class WorkRunner<Action: Sendable> {
    /// The number of actions of one run that may be on their way to the store.
    static var windowSize: Int { 100 }

    private struct Run {
        var task: Task<Void, Never>
        var phase: WorkPhase
        var window: WorkWindow

        func cancel() {
            window.close()
            task.cancel()
        }

        /// Lets the try that is under way end, and no other begin.
        func finish() {
            if phase.finish() { task.cancel() }
        }
    }

    private let session: SessionID
    private let environment: Environment
    private let limits: StoreLimits
    private let deliver: @Sendable (WorkDelivery<Action>) -> Void
    private let elapsed: @Sendable () -> Duration
    private var table: WorkTable<Action>
    private var runs: [UInt64: Run] = [:]
    private var timer: Task<Void, Never>?

    /// - Parameters:
    ///   - session: the session, for contexts.
    ///   - records: what was kept of the session's works when it was in memory last.
    ///   - deliver: brings news of a run into the store's isolation; called from anywhere.
    init(
        session: SessionID, environment: Environment, limits: StoreLimits,
        records: [WorkRecord] = [],
        deliver: @escaping @Sendable (WorkDelivery<Action>) -> Void
    ) {
        self.session = session
        self.environment = environment
        self.limits = limits
        self.deliver = deliver
        elapsed = environment.clock.timeSinceNow()
        table = WorkTable(limits: limits, records: records)
    }

    deinit {
        timer?.cancel()
        for run in runs.values { run.cancel() }
    }

    // MARK: Asking

    /// The works that run, wait or are paused, and the alarms, the oldest first.
    var list: [RunningWork] {
        table.running.map { run, work in
            var work = work
            work.attempt = run.flatMap { runs[$0]?.phase.attempt } ?? 0
            return work
        }
    }

    /// What is to be kept of the works while the session is not in memory.
    var records: [WorkRecord] { table.currentRecords }

    /// No work needs the session in memory.
    var allowsSleep: Bool { table.allowsSleep }

    /// The works that are wanted, to be compared with others.
    var items: [WorkList.Item] { table.list.items }

    /// The time of the earliest alarm.
    var nextAlarm: Timestamp? { table.nextAlarm }

    /// Tells whether one-shot work that a root has led to is running or waiting.
    func holds(root: UInt64) -> Bool { table.holds(root: root) }

    /// Tells whether the work of a report is still wanted.
    func isWanted(_ run: UInt64) -> Bool { table.isWanted(run) }

    /// Tells whether works of a state that is not committed include the one of a report.
    func isWanted(_ run: UInt64, among works: [Work<Action>]) -> Bool {
        table.isWanted(run, among: works)
    }

    /// The list that answers the end of a work, or an alarm, is awaited.
    var awaitsAnswer: Bool { table.awaitsAnswer }

    /// Roots have no one-shot work any more, and were not asked for.
    var hasReleasedRoots: Bool { table.hasReleasedRoots }

    /// The roots without one-shot work since they were asked for last.
    func drainReleasedRoots() -> [UInt64] { table.drainReleasedRoots() }

    // MARK: The state

    /// Starts and cancels the difference to what was wanted before; answers with what operators
    /// should know.
    func want(
        _ works: [Work<Action>], startedBy origin: @autoclosure () -> WorkOrigin
    ) -> [WorkDiagnostic] {
        table.want(works, startedBy: origin(), at: now)
        return table.hasSteps ? perform().diagnostics : []
    }

    /// Pauses works that run only while the session is watched, and goes on with them.
    func watch(_ isWatched: Bool) -> [WorkDiagnostic] {
        table.watch(isWatched, at: now)
        return perform().diagnostics
    }

    /// Hears of a run or of an alarm's time.
    func accept(_ delivery: WorkDelivery<Action>) -> WorkNews<Action> {
        switch delivery.content {
        case .sent: runs[delivery.run]?.window.leave()
        case .ended, .failed: runs.removeValue(forKey: delivery.run)?.window.close()
        case .alarmDue: break
        }
        table.accept(delivery, at: now)
        return perform()
    }

    /// Arms an alarm again whose action was decided, if the state still wants it.
    func repeatAlarm(_ run: UInt64) -> [WorkDiagnostic] {
        table.repeatAlarm(run, at: now)
        return perform().diagnostics
    }

    /// Starts work again whose last report was lost.
    func restart(_ run: UInt64) -> [WorkDiagnostic] {
        table.restart(run, at: now)
        return perform().diagnostics
    }

    /// Cancels everything: the session has ended, or leaves memory.
    func cancelAll() {
        table.cancelAll()
        _ = perform()
    }

    private var now: WorkTime { WorkTime(elapsed: elapsed(), at: environment.now()) }

    // MARK: Doing

    private func perform() -> WorkNews<Action> {
        var news = WorkNews<Action>()
        for step in table.drainSteps() {
            switch step {
            case .start(let run): start(run)
            case .cancel(let id): runs.removeValue(forKey: id)?.cancel()
            case .finish(let id): runs[id]?.finish()
            case .arm(let time): arm(time)
            case .disarm: timer?.cancel()
            case .report(let report): news.reports.append(report)
            case .diagnose(let diagnostic): news.diagnostics.append(diagnostic)
            }
        }
        return news
    }

    private func start(_ run: WorkRun<Action>) {
        let phase = WorkPhase()
        let window = WorkWindow(size: Self.windowSize)
        let (session, environment, deliver) = (session, environment, deliver)
        let report: @Sendable (Action) async throws -> Void = { action in
            try await window.enter()
            deliver(WorkDelivery(run: run.id, content: .sent(action)))
        }
        let (begin, elapsed) = (elapsed() + run.delay, elapsed)
        let chain = WorkChain(run.key, after: run.cause, elapsed: { elapsed() - begin })
        let task = Task(executorPreference: environment.executor) {
            let content = await run.perform(in: environment, phase) { attempt in
                WorkContext(
                    session: session, attempt: attempt, key: run.key, isFirst: run.isFirst,
                    surroundings: environment.surround?(chain), environment: environment,
                    report: report)
            }
            deliver(WorkDelivery(run: run.id, content: content))
        }
        runs[run.id] = Run(task: task, phase: phase, window: window)
    }

    private func arm(_ time: Timestamp) {
        timer?.cancel()
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
            deliver(WorkDelivery(run: 0, content: .alarmDue))
        }
    }
}

/// What came of a delivery.
struct WorkNews<Action: Sendable>: Sendable {
    /// The actions to dispatch, in their order.
    var reports: [WorkReport<Action>] = []
    var diagnostics: [WorkDiagnostic] = []
}
