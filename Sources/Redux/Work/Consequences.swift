public import Synchronization

/// The consequences of a store's entries: actions that wait, effects that run, and the news of their
/// end. It calls back into the application only while the store counts as busy, so that what is
/// dispatched then waits, too.
@usableFromInline
package final class Consequences<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline let busy = Atomic(false)
    @usableFromInline let quiet = Atomic(false)
    package var onDiagnostic: (StoreDiagnostic) -> Void = { _ in }
    package var onSettled: ((UInt64) -> Void)?
    /// Told of the outcome of each action that entries, effects and work have led to, with the
    /// principal on whose account it was dispatched; must dispatch nothing.
    package var onCausedOutcome: ((Action, Origin, Principal?, Outcome) -> Void)?
    private let limits: StoreLimits
    private let environment: Environment
    private let step: Step
    /// The works that a state wants; nil for a store that was given none.
    @usableFromInline let source: WorkSource<State, Action>?
    private let deliver: (@Sendable (StoreDelivery<Action>) -> Void)?
    let causes: Causes<Action>
    /// Made with the first work or effect.
    private var runner: WorkRunner<Action>?
    private var isWatched = false
    /// The last entry that has changed the committed state, while no list was asked for since: one
    /// list is enough for all that one call from outside commits.
    private var change: (cause: Cause, by: Principal?)?
    private var isDiagnosing = false

    /// - Parameter records: what was kept of the session's works when it was in memory last.
    init(
        _ limits: StoreLimits, _ environment: Environment, _ step: Step,
        _ source: WorkSource<State, Action>?, remembering records: [WorkRecord],
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)?
    ) {
        self.limits = limits
        self.environment = environment
        self.step = step
        self.source = source
        self.deliver = deliver
        causes = Causes(limits: limits)
        if !records.isEmpty { runner = makeRunner(records) }
    }

    private func makeRunner(_ records: [WorkRecord]) -> WorkRunner<Action> {
        WorkRunner(
            session: step.session, epoch: step.epoch, environment: environment, limits: limits,
            records: records, deliver: deliver ?? { _ in })
    }

    /// The runner, made where there is none.
    private func startRunner() -> WorkRunner<Action> {
        if let runner { return runner }
        let runner = makeRunner([])
        self.runner = runner
        perform(runner.update { $0.watch(isWatched, at: $1) })
        return runner
    }

    /// An action is being decided about or committed, or an application's code is being called.
    @inlinable var isBusy: Bool {
        get { busy.load(ordering: .relaxed) }
        set { busy.store(newValue, ordering: .relaxed) }
    }

    /// Nothing stands around the reducer, and nothing was dispatched, started or switched since the last
    /// call from outside: the next action may take the short way.
    @inlinable var isQuiet: Bool {
        get { quiet.load(ordering: .relaxed) }
        set { quiet.store(newValue, ordering: .relaxed) }
    }

    /// No effect and no work is under way, and no alarm is set.
    package var isIdle: Bool {
        guard let runner else { return true }
        return runner.table.allowsSleep && runner.table.nextAlarm == nil
    }
    /// Nothing waits, is open or goes on, and the committed state wants nothing to go on.
    var isAtRest: Bool {
        !isBusy && causes.isEmpty && !causes.hasEnded && change == nil
            && (runner?.table.isEmpty ?? true)
    }
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
        during(body)
        causes.present = outer
    }

    /// Runs a body as work, inside of other work or by itself.
    func during(_ body: () -> Void) {
        let outer = isBusy
        (isBusy, isQuiet) = (true, false)
        body()
        isBusy = outer
        isQuiet = false
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
        isQuiet = false
        let excess = causes.enqueue(action, after: cause)
        if let limit = excess?.cut { diagnose(.chainCut(causes: cause.path, limit: limit)) }
        return excess?.rejection
    }

    /// Takes the action that has waited longest; reports of work that is no longer wanted are passed
    /// over.
    ///
    /// - Parameter head: the last decided entry and the state behind it, where that is not committed:
    ///   a report that comes too late for that state is not decided on it.
    func next(
        on state: State, at version: UInt64, head: Proposal<State, Action>?
    ) -> IncomingAction<Action>? {
        while let action = causes.next() {
            guard let run = action.run, let runner else { return action }
            want(in: state, at: version)
            let works = head.flatMap { source?.list($0.state) }
            if runner.table.isWanted(run, among: works) { return action }
            runner.table.reportDecided(run, at: head?.version)
            if let cause = action.cause { causes.close(cause) }
        }
        return nil
    }

    /// An action was decided.
    func decided(_ proposal: Proposal<State, Action>) {
        let (action, outcome) = (proposal.incoming, proposal.outcome)
        if let run = action.run {
            runner?.table.reportDecided(run, at: proposal.isEmpty ? nil : proposal.version)
        }
        guard let cause = action.cause else { return }
        onCausedOutcome?(action.actions[0], action.origin, action.by ?? action.causer, outcome)
        switch outcome {
        case .rejected(let rejection):
            diagnose(
                action.effect.map { .effectRejected(name: $0, rejection: rejection) }
                    ?? .causedActionRejected(cause: cause.version, rejection: rejection))
        case .refused: diagnose(.causedActionLost(cause: cause.version))
        case .accepted, .dropped, .delayed, .queued: break
        }
    }

    /// Closes entries that are forgotten, those behind a version.
    func lose(_ lost: [Proposal<State, Action>], behind version: UInt64) {
        if let runner { perform(runner.update { $0.revert(to: version, at: $1) }) }
        for group in lost where group.isCaused {
            if let last = group.entries.last { causes.close(group.cause(of: last)) }
        }
        for cause in Set(lost.compactMap(\.incoming.cause?.version)).sorted() {
            diagnose(.causedActionLost(cause: cause))
        }
    }

    // MARK: Effects

    /// Starts an effect of an entry.
    func start(_ effect: Effect<Action>, causedBy cause: Cause) {
        if let action = effect.action {
            let incoming = IncomingAction([action], origin: .effect)
            if let rejection = enqueue(incoming, after: cause), rejection == .tooManyActions {
                diagnose(.causedActionRejected(cause: cause.version, rejection: rejection))
            }
        } else if cause.depth < limits.chainLength {
            run(effect, cause)
        } else {
            diagnose(.chainCut(causes: cause.path, limit: limits.chainLength))
        }
    }

    /// Begins to wait for delayed actions.
    func begin(_ delayed: [Proposal<State, Action>.DelayedEffect]) {
        for (effect, cause) in delayed { run(effect, cause) }
    }

    private func run(_ effect: Effect<Action>, _ cause: Cause) {
        isQuiet = false
        guard deliver != nil else {
            return diagnose(
                .effectFailed(
                    name: effect.name ?? "effect",
                    error: "A store without `deliver` has no way back for effects."))
        }
        let runner = startRunner()
        let origin = runner.origin(cause)
        perform(runner.update { $0.start(effect, startedBy: origin, at: $1) })
    }

    /// Tells whether an effect of a name could begin, beside others that are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        runner?.table.hasRoom(forEffect: name, beside: others)
            ?? (others < limits.runningEffects)
    }

    // MARK: Work

    /// A state wants what goes on, and nothing else.
    @usableFromInline
    func isFollowed(_ state: State) -> Bool {
        guard let source else { return true }
        guard let runner else { return source.isListed(state, []) }
        return !runner.table.needsList && source.isListed(state, runner.table.list.items)
    }

    /// Notes that an entry has changed the committed state.
    func noteChange(by entry: Entry, as cause: Cause) {
        if source != nil { change = (cause, entry.by) }
    }

    /// Lets the work follow a state at once where ended work or an alarm waits for its list.
    func answer(in state: State, at version: UInt64) {
        if let runner, runner.table.awaitsAnswer { want(in: state, at: version) }
    }

    /// Starts and cancels what a committed state wants otherwise than the one before it.
    private func want(in state: State, at version: UInt64) {
        if let (cause, principal) = change {
            change = nil
            start(in: state, startedBy: cause, by: principal)
        }
        guard let runner, runner.table.hasDecided else { return }
        perform(runner.update { $0.repeatAlarms(at: version, $1) })
    }

    private func start(in state: State, startedBy cause: Cause, by principal: Principal?) {
        guard let source, !isFollowed(state) else { return }
        let runner = startRunner()
        let (works, origin) = (source.list(state), runner.origin(cause, by: principal))
        perform(runner.update { $0.want(works, startedBy: origin, at: $1) })
    }

    /// Has the work follow an entry that was committed the short way.
    @usableFromInline
    func want(in state: State, at version: UInt64, _ origin: Origin, by principal: Principal?) {
        start(in: state, startedBy: Cause(version: version, origin: origin), by: principal)
        want(in: state, at: version)
        // The short way leads to where roots that have settled are told.
        if runner?.table.hasReleasedRoots ?? false { isQuiet = false }
    }

    /// Tells the work that clients watch the session, or that none does.
    package func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        if let runner { perform(runner.update { $0.watch(isWatched, at: $1) }) }
    }

    /// Takes a report of an effect or of work, and lets its action wait.
    func accept(_ delivery: StoreDelivery<Action>) {
        guard let runner else { return }
        perform(runner.accept(delivery))
        tellSettled()
    }

    private func perform(_ steps: [WorkStep<Action>]) {
        for step in steps {
            switch step {
            case .report(let action): causes.enqueue(reported: action)
            case .diagnose(let diagnostic, let cause): diagnose(diagnostic, causedBy: cause)
            case .effectEnded(let cause): if isSettled(cause.root) { causes.end(cause) }
            case .start, .cancel, .finish, .arm: preconditionFailure("The runner does these.")
            }
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
        guard !isBusy, change == nil else { return }
        let released = runner?.table.drainReleasedRoots() ?? []
        guard causes.hasEnded || !released.isEmpty else { return }
        for last in causes.takeEnded(and: released) {
            guard let onSettled, isSettled(last.root) else { continue }
            call(causedBy: last) { onSettled(last.root) }
        }
    }

    /// Cancels everything that runs or waits but the entries: the session has ended.
    ///
    /// - Parameter roots: the roots of the entries, of each caused group one.
    func cancelAll(keeping roots: [UInt64]) {
        if let runner { perform(runner.update { table, _ in table.cancelAll() }) }
        change = nil
        causes.cancel(keeping: roots)
    }
}
