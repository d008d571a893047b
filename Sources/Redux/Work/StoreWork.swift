/// The work of one store: what its committed state wants to have going on, and the alarms whose
/// actions are being decided.
///
/// It belongs to the store's isolation. The list is asked for once for all that one call from outside
/// commits, and only where the state has changed.
@usableFromInline
final class StoreWork<State: Sendable, Action: Sendable> {
    /// A committed change of the state that the list was not asked for yet.
    private struct Change {
        var cause: Cause
        var by: Principal?
    }

    private let source: WorkSource<State, Action>
    /// The works that are wanted, to be compared with those of the next state.
    private var items: [WorkList.Item] = []
    /// The first list was asked for, and no alarm waits for the next one.
    private var isSettled = false
    private let runner: WorkRunner<Action>
    private let epoch: String
    private var change: Change?
    /// The runs whose reports were decided on entries that are not committed yet, with the version
    /// of the last of these.
    private var decided: [(version: UInt64, run: UInt64)] = []
    /// The runs of alarms that have had their effect, or none, since the list was asked for last.
    private var concluded: [UInt64] = []

    /// - Parameters:
    ///   - epoch: the first part of the session's tokens, with which keys begin.
    init(
        _ source: WorkSource<State, Action>, epoch: String, _ runner: WorkRunner<Action>
    ) {
        self.source = source
        self.epoch = epoch
        self.runner = runner
    }

    // MARK: Asking

    /// The works that run or wait, and the alarms.
    var running: [RunningWork] { runner.list }

    /// The memory of the works, for when the session is loaded again.
    var records: [WorkRecord] { runner.records }

    /// A change was committed that the list was not asked for yet.
    var hasChange: Bool { change != nil }

    /// The list must be asked for at each change, as a work's end or an alarm waits for its answer.
    var awaitsAnswer: Bool { runner.awaitsAnswer }

    /// No work is under way, and no alarm is set.
    var isIdle: Bool { runner.allowsSleep && runner.nextAlarm == nil }

    /// One-shot work that a root has led to is under way.
    func holds(root: UInt64) -> Bool { runner.holds(root: root) }

    /// Roots have no one-shot work any more, and were not asked for.
    var hasReleasedRoots: Bool { runner.hasReleasedRoots }

    /// The roots without one-shot work since they were asked for last.
    func drainReleasedRoots() -> [UInt64] { runner.drainReleasedRoots() }

    // MARK: The state

    /// Notes that an entry has changed the committed state.
    func noteChange(_ cause: Cause, by principal: Principal?) {
        change = Change(cause: cause, by: principal)
    }

    /// A state wants what goes on, and nothing else.
    @usableFromInline
    func isFollowing(_ state: State) -> Bool { isSettled && source.isListed(state, items) }

    /// Starts and cancels what a committed state wants otherwise than the one before it; answers with
    /// the news for operators.
    ///
    /// - Parameter version: the version of the state.
    func want(in state: State, at version: UInt64) -> [WorkDiagnostic] {
        var news: [WorkDiagnostic] = []
        if let change {
            self.change = nil
            if !isFollowing(state) { news = start(state, change) }
        }
        guard !decided.isEmpty || !concluded.isEmpty else { return news }
        concluded += decided.lazy.filter { $0.version <= version }.map(\.run)
        decided.removeAll { $0.version <= version }
        for run in concluded { news += runner.repeatAlarm(run) }
        concluded = []
        isSettled = decided.isEmpty
        return news
    }

    private func start(_ state: State, _ change: Change) -> [WorkDiagnostic] {
        // Not shared while it is changed.
        items = []
        let news = runner.want(
            source.list(state),
            startedBy: WorkOrigin(
                cause: change.cause, token: "\(epoch)-\(change.cause.version)", by: change.by))
        items = runner.items
        isSettled = decided.isEmpty && concluded.isEmpty
        return news
    }

    /// Pauses the works that run only while clients watch the session, or goes on with them.
    func watch(_ isWatched: Bool) -> [WorkDiagnostic] { runner.watch(isWatched) }

    /// Cancels everything: the session has ended.
    func cancelAll() {
        change = nil
        decided = []
        concluded = []
        items = []
        isSettled = false
        runner.cancelAll()
    }

    // MARK: Reports

    /// Hears of a run, or of an alarm's time.
    func accept(_ delivery: WorkDelivery<Action>) -> WorkNews<Action> { runner.accept(delivery) }

    /// Tells whether the work that has reported is still wanted.
    ///
    /// - Parameter head: the state that the report would be reduced on, where it is not the committed
    ///   one: a report that comes too late for it is not decided there.
    func isWanted(_ run: UInt64, on head: State?) -> Bool {
        guard let head else { return runner.isWanted(run) }
        return runner.isWanted(run, among: source.list(head))
    }

    /// A report was decided.
    ///
    /// - Parameters:
    ///   - version: the last entry of which the state depends on it: its own, or the one behind which
    ///     it came too late; nil where it was rejected.
    ///   - committed: the last committed entry.
    func reportDecided(_ run: UInt64, at version: UInt64?, committed: UInt64) {
        isSettled = false
        if let version, version > committed {
            decided.append((version, run))
        } else {
            concluded.append(run)
        }
    }

    /// The action of an alarm was not decided.
    func alarmLost(_ run: UInt64) {
        isSettled = false
        concluded.append(run)
    }

    /// The entries behind a version are lost: what was reported there is reported again, alarms after
    /// a while, other work as soon as it has run once more.
    func revert(to version: UInt64) -> [WorkDiagnostic] {
        let lost = decided.filter { $0.version > version }.map(\.run)
        decided.removeAll { $0.version > version }
        isSettled = false
        concluded += lost
        return lost.flatMap { runner.restart($0) }
    }
}
