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
    private let decider: Decider<State, Action>
    /// The works that a state wants; nil for a store that was given none.
    @usableFromInline let source: WorkSource<State, Action>?
    private let deliver: (@Sendable (StoreDelivery<Action>) -> Void)?
    private let causes: Causes<Action>
    /// Made with the first work or effect.
    private var runner: WorkRunner<Action>?
    private var isWatched = false
    /// The last entry that has changed the committed state, while no list was asked for since: one
    /// list is enough for all that one call from outside commits.
    private var change: PendingEntry<State, Action>?
    private var isDiagnosing = false

    /// - Parameter records: what was kept of the session's works when it was in memory last.
    init(
        _ decider: Decider<State, Action>, _ source: WorkSource<State, Action>?,
        remembering records: [WorkRecord],
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)?
    ) {
        self.decider = decider
        self.source = source
        self.deliver = deliver
        causes = Causes(limits: decider.limits)
        if !records.isEmpty { runner = makeRunner(records) }
    }

    private func makeRunner(_ records: [WorkRecord] = []) -> WorkRunner<Action> {
        let step = decider.reduction.step
        return WorkRunner(
            session: step.session, epoch: step.epoch, environment: decider.environment,
            limits: decider.limits, records: records, deliver: deliver ?? { _ in })
    }

    /// The runner, made where there is none.
    private func startRunner() -> WorkRunner<Action> {
        if let runner { return runner }
        let runner = makeRunner()
        self.runner = runner
        if isWatched { tell(runner.watch(true)) }
        return runner
    }

    /// Nothing waits and nothing is open. Work and effects may be under way.
    var isEmpty: Bool { causes.isEmpty }
    /// No effect and no work is under way, and no alarm is set.
    package var isIdle: Bool {
        guard let runner else { return true }
        return runner.table.allowsSleep && runner.table.nextAlarm == nil
    }
    /// Nothing waits, is open or goes on, and the committed state wants nothing to go on.
    var isAtRest: Bool {
        !busy.isBusy && causes.isEmpty && !causes.hasEnded && change == nil
            && (runner?.table.isEmpty ?? true)
    }
    var hasActions: Bool { causes.hasActions }
    package var runningEffects: [RunningEffect] { runner?.table.effects ?? [] }
    package var runningWork: [RunningWork] { runner?.works ?? [] }
    package var workRecords: [WorkRecord] { runner?.table.currentRecords ?? [] }

    /// Tells whether nothing that a version started, or caused, is still under way.
    package func isSettled(_ root: UInt64) -> Bool {
        !causes.isOpen(root) && !(runner?.table.holds(root: root) ?? false)
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
            diagnose(.chainCut(causes: path, limit: decider.limits.chainLength))
        case .root(let path, let isFirst):
            if isFirst { diagnose(.chainCut(causes: path, limit: decider.limits.followingActions)) }
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
            guard let run = action.run, let runner else { return action }
            want(in: state, at: version)
            if isWanted(run, by: runner, on: head?.state) { return action }
            runner.reportDecided(run, at: head?.version, committed: version)
            if let cause = action.cause { causes.close(cause) }
        }
        return nil
    }

    /// Tells whether the work that has reported is still wanted.
    ///
    /// - Parameter head: the state that the report would be reduced on, where it is not the committed
    ///   one: a report that comes too late for it is not decided there.
    private func isWanted(
        _ run: UInt64, by runner: WorkRunner<Action>, on head: State?
    ) -> Bool {
        guard let head, let source else { return runner.table.isWanted(run) }
        return runner.table.isWanted(run, among: source.list(head))
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
        guard let run = action.run else { return }
        runner?.reportDecided(run, at: version, committed: committed)
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
        if let runner { tell(runner.revert(to: version)) }
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
        case .run where cause.depth < decider.limits.chainLength: run(effect, cause)
        case .run: diagnose(.chainCut(causes: cause.path, limit: decider.limits.chainLength))
        }
    }

    /// Begins to wait for delayed actions.
    func begin(_ delayed: [DelayedAction<Action>]) {
        for action in delayed { run(action.effect, action.cause, delayedBy: action.place) }
    }

    private func run(
        _ effect: Effect<Action>, _ cause: Cause, delayedBy place: InterceptorPlace? = nil
    ) {
        busy.disturb()
        guard deliver != nil else {
            return diagnose(
                .effectFailed(
                    name: effect.name ?? "effect",
                    error: "A store without `deliver` has no way back for effects."))
        }
        tell(startRunner().start(effect, delayedBy: place, startedBy: cause))
    }

    /// Tells whether an effect of a name could begin, beside others that are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        runner?.table.hasRoom(forEffect: name, beside: others)
            ?? (others < decider.limits.runningEffects)
    }

    // MARK: Work

    /// A state wants what goes on, and nothing else.
    @usableFromInline
    func isFollowed(_ state: State) -> Bool {
        guard let source else { return true }
        guard let runner else { return source.isListed(state, []) }
        return !runner.needsList && source.isListed(state, runner.items)
    }

    /// Notes that an entry has changed the committed state.
    func noteChange(by entry: PendingEntry<State, Action>) {
        guard source != nil else { return }
        change = entry
        if let runner, runner.table.awaitsAnswer, entry.isLast {
            want(in: entry.state, at: entry.version)
        }
    }

    /// Starts and cancels what a committed state wants otherwise than the one before it.
    private func want(in state: State, at version: UInt64) {
        if let entry = change {
            change = nil
            start(in: state, startedBy: entry.asCause, by: entry.entry.by)
        }
        if let runner { tell(runner.repeatAlarms(at: version)) }
    }

    private func start(in state: State, startedBy cause: Cause, by principal: Principal?) {
        guard let source, !isFollowed(state) else { return }
        tell(startRunner().want(source.list(state), startedBy: cause, by: principal))
    }

    /// Has the work follow an entry that was committed the short way.
    @usableFromInline
    func want(in state: State, at version: UInt64, _ origin: Origin, by principal: Principal?) {
        start(in: state, startedBy: Cause(version: version, origin: origin), by: principal)
        want(in: state, at: version)
        // The short way leads to where roots that have settled are told.
        if runner?.table.hasReleasedRoots ?? false { busy.disturb() }
    }

    /// Tells the work that clients watch the session, or that none does.
    package func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        if let runner { tell(runner.watch(isWatched)) }
    }

    /// Takes a report of an effect or of work, and lets its action wait.
    func accept(_ delivery: StoreDelivery<Action>) {
        guard let runner else { return }
        tell(runner.accept(delivery))
        tellSettled()
    }

    private func tell(_ news: [WorkNews<Action>]) {
        for one in news {
            switch one {
            case .reported(let report): enqueue(report)
            case .diagnosed(let diagnostic, let cause): diagnose(diagnostic, causedBy: cause)
            case .effectEnded(let cause): if isSettled(cause.root) { causes.end(cause) }
            }
        }
    }

    private func enqueue(_ report: WorkReport<Action>) {
        let (name, cause) = (report.order.name, report.cause)
        if case .effect(_, let place) = report.order.kind {
            return causes.enqueue(
                reported: IncomingAction(
                    report.action, origin: place?.origin ?? .effect, by: place?.by, cause: cause,
                    firstInterceptor: place.map(decider.firstInterceptor) ?? 0, effect: name))
        }
        guard cause.isLate || cause.depth < decider.limits.chainLength else {
            // An alarm comes again; other work has ended.
            if report.isAlarm { runner?.reportDecided(report.run, at: nil, committed: 0) }
            return diagnose(.chainCut(causes: cause.path, limit: decider.limits.chainLength))
        }
        causes.enqueue(
            reported: IncomingAction(
                report.action, origin: report.isAlarm ? .alarm : .effect, by: nil, cause: cause,
                effect: name, run: report.run, causer: report.by))
        if let error = report.error {
            diagnose(.work(.problemReported(name: name, error: error)), causedBy: cause)
        }
    }

    // MARK: Settling

    /// Ends a call from outside: the work follows the committed state, and roots that have settled are
    /// told.
    func settle(on state: State, at version: UInt64) {
        want(in: state, at: version)
        tellSettled()
    }

    /// Tells of the roots that wait for nothing any more, once nothing is being dispatched and the
    /// work follows the committed state: a change may start work of the same root.
    func tellSettled() {
        guard !busy.isBusy, change == nil else { return }
        let released = runner?.table.drainReleasedRoots() ?? []
        guard causes.hasEnded || !released.isEmpty else { return }
        for last in causes.takeEnded(and: released) {
            guard let onSettled, isSettled(last.root) else { continue }
            call(causedBy: last) { onSettled(last.root) }
        }
    }

    /// Cancels everything that runs or waits but the entries: the session has ended.
    func cancelAll(keeping entries: some Sequence<PendingEntry<State, Action>>) {
        runner?.cancelAll()
        change = nil
        causes.cancel(keeping: entries.compactMap(\.cause?.root))
    }
}
