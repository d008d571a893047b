/// Keeps the works and effects of one session going: hands what the committed state wants to the
/// table, and does what the table says. Each run has a task, which is cancelled when the table drops
/// it, and the earliest alarm has one.
///
/// It belongs to the store's isolation, where all its functions are called; operations run in Swift's
/// pool, or where the environment says. What `deliver` is given comes back to `accept` in the store's
/// isolation. A report of work is decided (`reportDecided`) before the list of the state behind it is
/// handed to `want`.
@usableFromInline
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
    private let epoch: String
    private let environment: Environment
    private let deliver: @Sendable (StoreDelivery<Action>) -> Void
    private let elapsed: @Sendable () -> Duration
    /// Asked by its owner, and changed here alone but for the roots that are drained.
    var table: WorkTable<Action>
    private var runs: [UInt64: Run] = [:]
    private var timer: Task<Void, Never>?
    /// The works that are wanted, to be compared with those of the next state.
    private(set) var items: [WorkList.Item] = []
    /// The next list goes to the table even if it is the one before: none has gone there, or an alarm
    /// waits for it.
    private(set) var needsList = true
    /// The runs whose reports were decided on entries that are not committed yet, with the version
    /// of the last of these.
    private var decided: [(version: UInt64, run: UInt64)] = []
    /// The runs whose reports have had their effect, or none, since the table was given a list.
    private var concluded: [UInt64] = []

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
        self.epoch = epoch
        self.environment = environment
        self.deliver = deliver
        elapsed = environment.clock.timeSinceNow()
        table = WorkTable(limits: limits, records: records)
    }

    deinit {
        timer?.cancel()
        for run in runs.values { run.cancel() }
    }

    /// The works that run, wait or are paused, and the alarms, the oldest first.
    var works: [RunningWork] {
        table.works.map { run, work in
            var work = work
            work.attempt = run.flatMap { runs[$0]?.phase.attempt } ?? 0
            return work
        }
    }

    // MARK: Starting

    /// Starts and cancels the difference to what was wanted before.
    func want(
        _ works: [Work<Action>], startedBy cause: Cause, by principal: Principal?
    ) -> [WorkNews<Action>] {
        // Not shared while the table changes its list.
        items = []
        table.want(works, startedBy: origin(cause, principal), at: now)
        items = table.list.items
        needsList = !decided.isEmpty || !concluded.isEmpty
        return perform()
    }

    /// Starts an effect of an entry, lets it wait or leaves it out.
    func start(
        _ effect: Effect<Action>, delayedBy place: InterceptorPlace?, startedBy cause: Cause
    ) -> [WorkNews<Action>] {
        table.start(effect, delayedBy: place, startedBy: origin(cause, nil), at: now)
        return perform()
    }

    private func origin(_ cause: Cause, _ principal: Principal?) -> WorkOrigin {
        WorkOrigin(cause: cause, token: "\(epoch)-\(cause.version)", by: principal)
    }

    /// Pauses works that run only while the session is watched, and goes on with them.
    func watch(_ isWatched: Bool) -> [WorkNews<Action>] {
        table.watch(isWatched, at: now)
        return perform()
    }

    /// Cancels everything: the session has ended, or leaves memory.
    func cancelAll() {
        (decided, concluded, items, needsList) = ([], [], [], true)
        table.cancelAll()
        _ = perform()
    }

    // MARK: Reports

    /// Hears of a run, or of an alarm's time.
    func accept(_ delivery: StoreDelivery<Action>) -> [WorkNews<Action>] {
        switch delivery.content {
        case .sent: runs[delivery.run]?.window.leave()
        case .ended, .failed: runs.removeValue(forKey: delivery.run)?.window.close()
        case .alarmDue: break
        }
        table.accept(delivery, at: now)
        return perform()
    }

    /// A report of work was decided, or is not decided at all.
    ///
    /// - Parameters:
    ///   - version: the last entry of which the state depends on it: its own, or the one behind which
    ///     it came too late; nil where it was rejected.
    ///   - committed: the last committed entry.
    func reportDecided(_ run: UInt64, at version: UInt64?, committed: UInt64) {
        needsList = true
        if let version, version > committed {
            decided.append((version, run))
        } else {
            concluded.append(run)
        }
    }

    /// Arms the alarms again that the state still wants, though their actions were decided: called
    /// once the table has the list of the state at a version.
    func repeatAlarms(at version: UInt64) -> [WorkNews<Action>] {
        guard !decided.isEmpty || !concluded.isEmpty else { return [] }
        concluded += decided.lazy.filter { $0.version <= version }.map(\.run)
        decided.removeAll { $0.version <= version }
        for run in concluded { table.repeatAlarm(run, at: now) }
        concluded = []
        needsList = !decided.isEmpty
        return perform()
    }

    /// The entries behind a version are lost: what was reported there is reported again, alarms after
    /// a while, other work as soon as it has run once more.
    func revert(to version: UInt64) -> [WorkNews<Action>] {
        let lost = decided.filter { $0.version > version }.map(\.run)
        decided.removeAll { $0.version > version }
        needsList = true
        concluded += lost
        for run in lost { table.restart(run, at: now) }
        return perform()
    }

    private var now: WorkTime { WorkTime(elapsed: elapsed(), at: environment.now()) }

    // MARK: Doing

    private func perform() -> [WorkNews<Action>] {
        guard table.hasSteps else { return [] }
        var news: [WorkNews<Action>] = []
        for step in table.drainSteps() {
            switch step {
            case .start(let run): start(run)
            case .cancel(let id): runs.removeValue(forKey: id)?.cancel()
            case .finish(let id): runs[id]?.finish()
            case .arm(let time): arm(time)
            case .disarm: timer?.cancel()
            case .tell(let one): news.append(one)
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
            deliver(StoreDelivery(run: run.id, content: .sent(action)))
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
            deliver(StoreDelivery(run: run.id, content: content))
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
            deliver(StoreDelivery(run: 0, content: .alarmDue))
        }
    }
}
