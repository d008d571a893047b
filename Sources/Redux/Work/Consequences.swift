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
    /// The works that a state wants; nil for a store that was given none.
    @usableFromInline let source: WorkSource<State, Action>?
    /// What effects and work report has a way back.
    private let canReport: Bool
    /// Actions that wait for the present one, first in, first out.
    private var queue: ArraySlice<(actions: [Action], arrival: Arrival)> = []
    /// The number of all actions that wait, each one of a batch counted.
    private var count = 0
    /// The work that each root has caused without a pause: actions that wait or were reported, and
    /// entries that are not yet committed; and all actions since nothing was open last.
    private var open: [UInt64: (count: Int, total: Int)] = [:]
    /// Roots without open work that nobody was told of yet, with the last cause of each.
    private var ended: [UInt64: Cause] = [:]
    /// The entry that causes what is dispatched now; nil: the last committed one.
    private var present: Cause?
    private let makeRunner: () -> WorkRunner<Action>
    /// Made with the first work or effect: until then, asking it costs nothing (1,500 of 10,000
    /// instructions of an action that waits for its journal).
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
        self.source = source
        canReport = deliver != nil
        makeRunner = {
            WorkRunner(
                session: step.session, epoch: step.epoch, environment: environment, limits: limits,
                records: records, deliver: deliver ?? { _ in })
        }
        if !records.isEmpty { runner = makeRunner() }
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
    package var isIdle: Bool { allowsSleep && runner?.table.nextAlarm == nil }
    /// No effect and no work is under way.
    package var allowsSleep: Bool { runner?.table.allowsSleep ?? true }
    /// Effects are under way, delayed actions not counted.
    package var hasEffects: Bool { runner.map { $0.table.slots.effects > 0 } ?? false }
    /// Nothing waits, is open or goes on, and the committed state wants nothing to go on.
    var isAtRest: Bool {
        !isBusy && isEmpty && ended.isEmpty && change == nil && runner?.table.isEmpty ?? true
    }
    /// Nothing waits and nothing is open. Work and effects may be under way.
    var isEmpty: Bool { count == 0 && open.isEmpty }
    package var hasActions: Bool { count > 0 }
    package var runningEffects: [RunningEffect] { runner?.table.effects ?? [] }
    package var runningWork: [RunningWork] { runner?.works ?? [] }
    package var workRecords: [WorkRecord] { runner?.table.currentRecords ?? [] }

    /// Tells whether nothing that a version started, or caused, is still under way.
    package func isSettled(_ root: UInt64) -> Bool {
        open[root] == nil && !(runner?.table.holds(root: root) ?? false)
    }

    /// Calls an application: what it dispatches meanwhile waits, and is caused by an entry.
    func call(causedBy cause: Cause?, _ body: () -> Void) {
        let outer = present
        present = cause
        during(body)
        present = outer
    }

    /// Runs a body as work, inside of other work or by itself.
    func during(_ body: () -> Void) {
        let outer = isBusy
        (isBusy, isQuiet) = (true, false)
        body()
        isBusy = outer
        isQuiet = false
    }

    /// Tells operators. Diagnostics that arise while one is told are dropped: there would be no end.
    func diagnose(_ diagnostic: StoreDiagnostic, causedBy cause: Cause? = nil) {
        guard !isDiagnosing else { return }
        isDiagnosing = true
        call(causedBy: cause ?? present) { onDiagnostic(diagnostic) }
        isDiagnosing = false
    }

    // MARK: Actions

    /// Lets an action wait that is dispatched while the store is busy, at a committed version; answers
    /// with the reason why it may not.
    func enqueue(_ actions: [Action], _ arrival: Arrival, at version: UInt64) -> Rejection? {
        let last = Cause(version: version, origin: arrival.origin)
        return enqueue(actions, arrival, after: present ?? last)
    }

    /// Bounded, so that what causes itself comes to an end; one chain that branches too much is told of
    /// once.
    private func enqueue(
        _ actions: [Action], _ arrival: Arrival, after cause: Cause
    ) -> Rejection? {
        isQuiet = false
        guard count + actions.count <= limits.queuedActions else { return .tooManyActions }
        guard cause.depth < limits.chainLength else { return cut(cause, limits.chainLength) }
        var work = open[cause.root] ?? (0, 0)
        let limit = limits.followingActions
        guard work.total + actions.count <= limit else {
            let isTold = work.total > limit
            open[cause.root]?.total = limit + 1
            return isTold ? .chainCut : cut(cause, limit)
        }
        work.count += 1
        work.total += actions.count
        open[cause.root] = work
        let (origin, principal) = (arrival.origin, arrival.by)
        append(
            actions,
            Arrival(origin: origin, by: principal, isBatch: arrival.isBatch, cause: cause))
        return nil
    }

    private func cut(_ cause: Cause, _ limit: Int) -> Rejection {
        diagnose(.chainCut(causes: cause.path, limit: limit))
        return .chainCut
    }

    /// Lets a report of an effect wait: the number of these is bounded where they come from.
    private func enqueue(reported action: Action, _ arrival: Arrival) {
        guard let cause = arrival.cause else {
            preconditionFailure("An effect reports with the cause that started it.")
        }
        open[cause.root, default: (0, 0)].count += 1
        append([action], arrival)
    }

    private func append(_ actions: [Action], _ arrival: Arrival) {
        queue.append((actions, arrival))
        count += actions.count
    }

    /// Takes the action that has waited longest; reports of work that is no longer wanted are passed
    /// over.
    ///
    /// - Parameter head: the last decided entry and the state behind it, where that is not committed:
    ///   a report that comes too late for that state is not decided on it.
    func next(
        on state: State, at version: UInt64, head: Proposal<State, Action>?
    ) -> (actions: [Action], arrival: Arrival)? {
        while let next = queue.popFirst() {
            // A slice keeps what was taken out of it.
            if queue.isEmpty { queue = [] }
            count -= next.actions.count
            guard let runner, let run = next.arrival.run else { return next }
            want(in: state, at: version)
            let works = head.flatMap { source?.list($0.state) }
            if runner.table.isWanted(run, among: works) { return next }
            runner.table.reportDecided(run, at: head?.version)
            if let cause = next.arrival.cause { close(cause) }
        }
        return nil
    }

    /// An action was decided.
    func decided(_ proposal: Proposal<State, Action>) {
        let (arrival, outcome) = (proposal.arrival, proposal.outcome)
        if let run = arrival.run {
            runner?.table.reportDecided(run, at: proposal.isEmpty ? nil : proposal.version)
        }
        guard let cause = arrival.cause else { return }
        onCausedOutcome?(proposal.sent[0], arrival.origin, arrival.by ?? arrival.causer, outcome)
        switch outcome {
        case .rejected(let rejection):
            diagnose(
                arrival.effect.map { .effectRejected(name: $0, rejection: rejection) }
                    ?? .causedActionRejected(cause: cause.version, rejection: rejection))
        case .refused: diagnose(.causedActionLost(cause: cause.version))
        case .accepted, .dropped, .delayed, .queued: break
        }
    }

    /// Closes entries that are forgotten, those behind a version.
    func lose(_ lost: [Proposal<State, Action>], behind version: UInt64) {
        if runner != nil { perform { $0.revert(to: version) } }
        for group in lost where group.isCaused {
            if let last = group.entries.last { close(group.cause(of: last)) }
        }
        for cause in Set(lost.compactMap(\.arrival.cause?.version)).sorted() {
            diagnose(.causedActionLost(cause: cause))
        }
    }

    /// A root whose entry is decided is open, though all was cancelled while it was.
    func keepOpen(_ root: UInt64) {
        if open[root] == nil { open[root] = (1, 0) }
    }

    /// Closes an action or an entry; the last one of its root becomes the cause of what comes of
    /// its end.
    func close(_ last: Cause) {
        guard let count = open[last.root]?.count else { return }
        if count > 1 {
            open[last.root]?.count = count - 1
        } else {
            open[last.root] = nil
            ended[last.root] = last
        }
    }

    // MARK: Effects

    /// Starts an effect of an entry.
    func start(_ effect: Effect<Action>, causedBy cause: Cause) {
        if let action = effect.action {
            let rejection = enqueue([action], Arrival(origin: .effect), after: cause)
            if let rejection, rejection == .tooManyActions {
                diagnose(.causedActionRejected(cause: cause.version, rejection: rejection))
            }
        } else if cause.depth < limits.chainLength {
            run(effect, cause)
        } else {
            diagnose(.chainCut(causes: cause.path, limit: limits.chainLength))
        }
    }

    /// Begins to wait for delayed actions; those whose place they take are dropped.
    func begin(_ delayed: [Proposal<State, Action>.DelayedEffect]) {
        for (effect, cause, replacedCount) in delayed {
            let others = effect.name.flatMap { runner?.table.slots.effectsOfName[$0]?.count } ?? 0
            if let (arrival, action, _) = effect.operation?.resumed {
                for _ in 0..<replacedCount + others {
                    onCausedOutcome?(action, arrival.origin, arrival.by, .dropped)
                }
            }
            run(effect, cause)
        }
    }

    /// Has the actions wait to be submitted that interceptors delay; false where there are none.
    package func endDelays() -> Bool {
        let delays = runner?.table.slots.delays ?? []
        for (run, action) in delays { accept(StoreDelivery(run: run, content: .ended(action))) }
        if !delays.isEmpty { isQuiet = false }
        return !delays.isEmpty
    }

    private func run(_ effect: Effect<Action>, _ cause: Cause) {
        isQuiet = false
        guard canReport else {
            return diagnose(
                .effectFailed(
                    name: effect.name ?? "effect",
                    error: "A store without `deliver` has no way back for effects."))
        }
        perform { $0.start(effect, startedBy: cause) }
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
        if runner?.table.awaitsAnswer ?? false { want(in: state, at: version) }
    }

    /// Starts and cancels what a committed state wants otherwise than the one before it.
    private func want(in state: State, at version: UInt64) {
        if let (cause, principal) = change {
            change = nil
            if let source, !isFollowed(state) {
                let works = source.list(state)
                perform { $0.want(works, startedBy: cause, by: principal) }
            }
        }
        if runner?.table.hasDecided ?? false { perform { $0.repeatAlarms(at: version) } }
    }

    /// Has the work follow an entry that was committed the short way.
    @usableFromInline
    func want(in state: State, at version: UInt64, _ origin: Origin, by principal: Principal?) {
        change = (Cause(version: version, origin: origin), principal)
        want(in: state, at: version)
        // The short way leads to where roots that have settled are told.
        if runner?.table.hasReleasedRoots ?? false { isQuiet = false }
    }

    /// Tells the work that clients watch the session, or that none does.
    package func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        if runner != nil { perform { $0.watch(isWatched) } }
    }

    /// Takes a report of an effect or of work, and lets its action wait.
    func accept(_ delivery: StoreDelivery<Action>) {
        runner?.close(delivery)
        perform { $0.accept(delivery) }
        tellSettled()
    }

    private func perform(_ change: (inout WorkTable<Action>) -> Void) {
        let isNew = runner == nil
        let runner = runner ?? makeRunner()
        self.runner = runner
        if isNew { perform { [isWatched] in $0.watch(isWatched) } }
        for step in runner.update(change) {
            switch step {
            case .report(let action, let arrival): enqueue(reported: action, arrival)
            case .diagnose(let diagnostic, let cause): diagnose(diagnostic, causedBy: cause)
            case .effectEnded(let cause): if isSettled(cause.root) { ended[cause.root] = cause }
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
        guard !ended.isEmpty || !released.isEmpty else { return }
        for root in released where ended[root] == nil {
            ended[root] = Cause(version: root, origin: .effect)
        }
        let all = ended.values.sorted { $0.root < $1.root }
        ended = [:]
        for last in all {
            guard let onSettled, isSettled(last.root) else { continue }
            call(causedBy: last) { onSettled(last.root) }
        }
    }

    /// Cancels everything that runs or waits but the entries: the session has ended.
    ///
    /// - Parameter roots: the roots of the entries, of each caused group one.
    func cancelAll(keeping roots: [UInt64]) {
        if runner != nil { perform { $0.cancelAll() } }
        change = nil
        queue = []
        count = 0
        for root in open.keys { ended[root] = Cause(version: root, origin: .effect) }
        open = [:]
        for root in roots { open[root, default: (0, 0)].count += 1 }
    }
}
