/// The consequences of a store's entries: actions that wait, effects that run, and the news of their
/// end. It calls back into the application only while the store counts as busy, so that what is
/// dispatched then waits, too.
@usableFromInline
package final class Consequences<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline let busy = BusyScope()
    package var onDiagnostic: (StoreDiagnostic) -> Void = { _ in }
    package var onSettled: ((UInt64) -> Void)?
    /// Told of the outcome of each action that entries, effects and work have led to; must dispatch
    /// nothing.
    package var onCausedOutcome: ((CausedOutcome<Action>) -> Void)?
    private let limits: StoreLimits
    /// The work that the committed state wants; nil for a store that was given none.
    @usableFromInline let work: StoreWork<State, Action>?
    private let causes: Causes<Action>
    private let makeRunner: () -> EffectRunner<Action>
    /// The runner of effects, made with the first one.
    private var runner: EffectRunner<Action>?
    private var isDiagnosing = false

    init(
        _ limits: StoreLimits, _ work: StoreWork<State, Action>?,
        makeRunner: @escaping () -> EffectRunner<Action>
    ) {
        self.limits = limits
        self.work = work
        self.makeRunner = makeRunner
        causes = Causes(limits: limits)
    }

    /// Nothing waits, nothing is open, and no effect runs. Work may.
    var isEmpty: Bool { causes.isEmpty && runner?.isIdle ?? true }
    /// No effect and no work is under way, and no alarm is set.
    package var isIdle: Bool { runner?.isIdle ?? true && work?.isIdle ?? true }
    var hasActions: Bool { causes.hasActions }
    package var runningEffects: [RunningEffect] { runner?.list ?? [] }
    package var runningWork: [RunningWork] { work?.running ?? [] }
    package var workRecords: [WorkRecord] { work?.records ?? [] }

    /// Tells whether nothing that a version started, or caused, is still under way.
    package func isSettled(_ root: UInt64) -> Bool {
        !causes.isOpen(root) && !(runner?.holds(root: root) ?? false)
            && !(work?.holds(root: root) ?? false)
    }

    /// Calls an application: what it dispatches meanwhile waits, and is caused by an entry.
    func call(causedBy cause: Cause?, _ body: () -> Void) {
        let outer = causes.present
        causes.present = cause
        busy.during(body)
        causes.present = outer
    }

    /// Tells of something. What goes wrong with actions that are dispatched meanwhile is not told: it
    /// would not come to an end.
    func diagnose(_ diagnostic: StoreDiagnostic, causedBy cause: Cause? = nil) {
        guard !isDiagnosing else { return }
        isDiagnosing = true
        call(causedBy: cause ?? causes.present) { onDiagnostic(diagnostic) }
        isDiagnosing = false
    }

    // MARK: Actions

    /// Lets an action wait that is dispatched while the store is busy, at a committed version; answers
    /// with the reason why it may not.
    func enqueue(_ action: IncomingAction<Action>, at version: UInt64) -> Rejection? {
        enqueue(action, after: causes.present ?? Cause(version: version, origin: action.origin))
    }

    private func enqueue(_ action: IncomingAction<Action>, after cause: Cause) -> Rejection? {
        busy.disturb()
        switch causes.enqueue(action, after: cause) {
        case nil: return nil
        case .queue: return .tooManyActions
        case .chain(let path):
            diagnose(.chainCut(causes: path, limit: limits.chainLength))
        case .root(let path, let isFirst):
            if isFirst { diagnose(.chainCut(causes: path, limit: limits.followingActions)) }
        }
        return .chainCut
    }

    /// Takes the action that has waited longest; reports of work that is no longer wanted are passed
    /// over.
    ///
    /// - Parameter head: the last decided entry and the state behind it, where that is not committed.
    func next(
        on state: State, at version: UInt64, head: PendingEntry<State, Action>?
    ) -> IncomingAction<Action>? {
        while let action = causes.next() {
            guard let work, let run = action.run else { return action }
            tell(work.want(in: state, at: version))
            if work.isWanted(run, on: head?.state) { return action }
            work.reportDecided(run, at: head?.version, committed: version)
            if let cause = action.cause { causes.close(cause) }
        }
        return nil
    }

    /// An action was decided.
    ///
    /// - Parameters:
    ///   - outcome: what it has come to.
    ///   - version: the version of its last entry; nil where it has become none.
    ///   - committed: the last committed entry.
    func decided(
        _ action: IncomingAction<Action>, _ outcome: Outcome, at version: UInt64?,
        committed: UInt64
    ) {
        if action.cause != nil { tell(outcome, of: action) }
        guard let work, let run = action.run else { return }
        work.reportDecided(run, at: version, committed: committed)
    }

    /// By itself, for an outcome costs a look-up of its type, even where none is told.
    @inline(never)
    private func tell(_ outcome: Outcome, of action: IncomingAction<Action>) {
        onCausedOutcome?(CausedOutcome(action, outcome))
    }

    /// Opens an entry that waits for its commit.
    func open(_ root: UInt64) { causes.open(root) }

    /// Closes an entry, or an action that an entry caused.
    func close(_ last: Cause) { causes.close(last) }

    /// Closes entries that are forgotten, those behind a version.
    func lose(_ entries: [PendingEntry<State, Action>], behind version: UInt64) {
        tell(work?.revert(to: version) ?? [])
        let caused = entries.filter(\.isCaused)
        for entry in caused { causes.close(entry.asCause) }
        for cause in Set(caused.compactMap(\.cause?.version)).sorted() {
            diagnose(.causedActionLost(cause: cause))
        }
    }

    // MARK: Effects

    /// Starts an effect of an entry.
    func start(_ effect: Effect<Action>, causedBy cause: Cause) {
        switch effect.kind {
        case .send(let action):
            let incoming = IncomingAction(action, origin: .effect, by: nil)
            if let rejection = enqueue(incoming, after: cause), rejection == .tooManyActions {
                diagnose(.causedActionRejected(cause: cause.version, rejection: rejection))
            }
        case .run where cause.depth < limits.chainLength: run(effect, cause)
        case .run: diagnose(.chainCut(causes: cause.path, limit: limits.chainLength))
        }
    }

    /// Begins to wait for delayed actions.
    func begin(_ delayed: [DelayedAction<Action>]) {
        for action in delayed { run(action.effect, action.cause, action.continuation) }
    }

    private func run(
        _ effect: Effect<Action>, _ cause: Cause,
        _ continuation: DelayedAction<Action>.Continuation? = nil
    ) {
        busy.disturb()
        let runner = runner ?? makeRunner()
        self.runner = runner
        if let diagnostic = runner.start(effect, cause, continuation) { diagnose(diagnostic) }
    }

    /// Tells whether an effect of a name could begin, beside others that are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        runner?.hasRoom(for: name, beside: others) ?? (others < limits.runningEffects)
    }

    /// Notes that an entry has changed the committed state.
    func noteChange(by entry: PendingEntry<State, Action>, _ cause: Cause) {
        guard let work else { return }
        work.noteChange(cause, by: entry.record.by)
        if work.awaitsAnswer, entry.isLast {
            tell(work.want(in: entry.state, at: entry.version))
        }
    }

    // MARK: Work

    /// Has the work follow an entry that was committed the short way.
    @usableFromInline
    func want(in state: State, at version: UInt64, _ origin: Origin, by principal: Principal?) {
        guard let work else { return }
        work.noteChange(Cause(version: version, origin: origin), by: principal)
        tell(work.want(in: state, at: version))
        // The short way leads to where roots that have settled are told.
        if work.hasReleasedRoots { busy.disturb() }
    }

    /// Begins the work that a state wants which no action has led to.
    func startWork(in state: State, at version: UInt64) {
        want(in: state, at: version, .server, by: nil)
    }

    /// Tells the work that clients watch the session, or that none does.
    package func watch(_ isWatched: Bool) { tell(work?.watch(isWatched) ?? []) }

    /// Takes a report of an effect or of work.
    func accept(
        _ report: StoreDelivery<Action>.Content,
        firstInterceptor: (DelayedAction<Action>.Continuation) -> Int
    ) {
        switch report {
        case .effect(let delivery): accept(delivery, firstInterceptor: firstInterceptor)
        case .work(let delivery): accept(delivery)
        }
    }

    /// Takes a report of work, and lets its actions wait.
    func accept(_ delivery: WorkDelivery<Action>) {
        guard let news = work?.accept(delivery) else { return }
        for report in news.reports { enqueue(report) }
        tell(news.diagnostics)
        tellSettled()
    }

    private func enqueue(_ report: WorkReport<Action>) {
        guard report.cause.isLate || report.cause.depth < limits.chainLength else {
            if report.isAlarm { work?.alarmLost(report.run) }
            return diagnose(.chainCut(causes: report.cause.path, limit: limits.chainLength))
        }
        causes.enqueue(
            reported: IncomingAction(
                report.action, origin: report.isAlarm ? .alarm : .effect, by: nil,
                cause: report.cause, effect: report.name, run: report.run, causer: report.by))
        if let error = report.error {
            diagnose(
                .work(.problemReported(name: report.name, error: error)), causedBy: report.cause)
        }
    }

    private func tell(_ news: [WorkDiagnostic]) {
        for diagnostic in news { diagnose(.work(diagnostic)) }
    }

    /// Takes a report of an effect; of one that has ended, or was cancelled, none is heard.
    func accept(
        _ delivery: EffectDelivery<Action>,
        firstInterceptor: (DelayedAction<Action>.Continuation) -> Int
    ) {
        guard let runner, let entry = runner.take(delivery) else { return }
        switch delivery.report {
        case .action(let action):
            let place = entry.continuation
            causes.enqueue(
                reported: IncomingAction(
                    action, origin: place?.origin ?? .effect, by: place?.by, cause: entry.cause,
                    firstInterceptor: place.map(firstInterceptor) ?? 0, effect: entry.name))
        case .ended: end(entry)
        case .failed(let error):
            end(entry)
            diagnose(.effectFailed(name: entry.name, error: error), causedBy: entry.cause)
        }
    }

    private func end(_ entry: EffectEntry<Action>) {
        runner?.end(entry.id)
        if isSettled(entry.cause.root) { causes.end(entry.cause) }
        tellSettled()
    }

    /// Ends a call from outside: the work follows the committed state, and roots that have settled are
    /// told.
    func settle(on state: State, at version: UInt64) {
        if let work { tell(work.want(in: state, at: version)) }
        tellSettled()
    }

    /// Tells of the roots that wait for nothing any more, once nothing is being dispatched and the
    /// work follows the committed state: a change may start work of the same root.
    func tellSettled() {
        guard !busy.isBusy, !(work?.hasChange ?? false) else { return }
        let cancelled = (runner?.takeReleasedRoots() ?? []) + (work?.drainReleasedRoots() ?? [])
        guard causes.hasEnded || !cancelled.isEmpty else { return }
        for last in causes.takeEnded(and: cancelled) {
            guard let onSettled, isSettled(last.root) else { continue }
            call(causedBy: last) { onSettled(last.root) }
        }
    }

    /// Cancels everything that runs or waits but the entries: the session has ended.
    func cancelAll(keeping entries: some Sequence<PendingEntry<State, Action>>) {
        runner?.cancelAll()
        work?.cancelAll()
        causes.cancel(keeping: entries.compactMap(\.cause?.root))
    }
}
