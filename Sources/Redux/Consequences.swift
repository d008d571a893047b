/// The consequences of a store's entries: actions that wait, effects that run, and the news of their
/// end. It calls back into the application only while the store counts as busy, so that what is
/// dispatched then waits, too.
@usableFromInline
package final class Consequences<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline let busy = BusyScope()
    package var onDiagnostic: (StoreDiagnostic) -> Void = { _ in }
    package var onSettled: ((UInt64) -> Void)?
    private let environment: Environment
    private let limits: StoreLimits
    private let deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    private var causes: Causes<Action>
    private var runner: EffectRunner<State, Action>?
    private var isDiagnosing = false

    init(
        _ environment: Environment, _ limits: StoreLimits,
        deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    ) {
        self.environment = environment
        self.limits = limits
        self.deliver = deliver
        causes = Causes(limits: limits)
    }

    /// Nothing waits, nothing is open, and no effect runs.
    var isEmpty: Bool { causes.isEmpty && isIdle }
    package var isIdle: Bool { runner?.isIdle ?? true }
    var hasActions: Bool { causes.hasActions }
    package var runningEffects: [RunningEffect] { runner?.list ?? [] }

    /// Tells whether nothing that a version started, or caused, is still under way.
    package func isSettled(_ root: UInt64) -> Bool {
        !causes.isOpen(root) && !(runner?.holds(root: root) ?? false)
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

    func next() -> IncomingAction<Action>? { causes.next() }

    /// Opens an entry that waits for its commit.
    func open(_ root: UInt64) { causes.open(root) }

    /// Closes an entry, or an action that an entry caused.
    func close(_ last: Cause) { causes.close(last) }

    /// Closes entries that are forgotten.
    func lose(_ entries: [PendingEntry<State, Action>]) {
        let caused = entries.filter(\.isCaused)
        for entry in caused { causes.close(entry.asCause) }
        for cause in Set(caused.compactMap(\.cause?.version)).sorted() {
            diagnose(.causedActionLost(cause: cause))
        }
    }

    // MARK: Effects

    /// Starts effects that an entry caused, if the committed state is in their scope.
    func start(_ effects: [Effect<State, Action>], causedBy cause: Cause, _ state: State) {
        for effect in effects { start(effect, causedBy: cause, state) }
    }

    func start(_ effect: Effect<State, Action>, causedBy cause: Cause, _ state: State) {
        switch effect.kind {
        case .dispatch(let action):
            let incoming = IncomingAction(action, origin: .effect, by: nil)
            if let rejection = enqueue(incoming, after: cause), rejection == .tooManyActions {
                diagnose(.causedActionRejected(cause: cause.version, rejection: rejection))
            }
        case .cancel: runner?.cancel(effect.name)
        case .run where cause.depth < limits.chainLength: run(effect, cause, state)
        case .run: diagnose(.chainCut(causes: cause.path, limit: limits.chainLength))
        }
    }

    /// Begins to wait for delayed actions.
    func begin(_ delayed: [DelayedAction<Action>], on state: State) {
        for action in delayed { run(action.effect(), action.cause, state, action.continuation) }
    }

    private func run(
        _ effect: Effect<State, Action>, _ cause: Cause, _ state: State,
        _ continuation: DelayedAction<Action>.Continuation? = nil
    ) {
        busy.disturb()
        let runner = madeRunner()
        if let diagnostic = runner.start(effect, cause, on: state, continuation) {
            diagnose(diagnostic)
        }
    }

    /// The runner, made with the first effect.
    private func madeRunner() -> EffectRunner<State, Action> {
        if let runner { return runner }
        let made = EffectRunner<State, Action>(
            environment: environment, limits: limits, deliver: deliver)
        runner = made
        return made
    }

    /// Tells whether an effect of a name could begin, beside others that are about to.
    func hasRoom(for name: String, beside others: Int) -> Bool {
        runner?.hasRoom(for: name, beside: others) ?? (others < limits.runningEffects)
    }

    /// Notes that the committed state has changed.
    func noteChange() { runner?.noteChange() }

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
                    firstInterceptor: place.map(firstInterceptor) ?? 0, effect: entry.effect.name))
        case .ended: end(entry)
        case .failed(let error):
            end(entry)
            diagnose(.effectFailed(name: entry.effect.name, error: error), causedBy: entry.cause)
        }
    }

    private func end(_ entry: EffectEntry<State, Action>) {
        runner?.end(entry.id)
        if isSettled(entry.cause.root) { causes.end(entry.cause) }
        tellSettled()
    }

    /// Ends a call from outside: effects whose scope the committed state has left are cancelled, and
    /// roots that have settled are told.
    func settle(on state: State) {
        runner?.leaveScopes(of: state)
        tellSettled()
    }

    /// Tells of the roots that wait for nothing any more, once nothing is being dispatched.
    func tellSettled() {
        guard !busy.isBusy else { return }
        let cancelled = runner?.takeReleasedRoots() ?? []
        guard causes.hasEnded || !cancelled.isEmpty else { return }
        for last in causes.takeEnded(and: cancelled) {
            guard let onSettled, isSettled(last.root) else { continue }
            call(causedBy: last) { onSettled(last.root) }
        }
    }

    /// Cancels everything that runs or waits but the entries: the session has ended.
    func cancelAll(keeping entries: some Sequence<PendingEntry<State, Action>>) {
        runner?.cancelAll()
        causes.cancel(keeping: entries.compactMap(\.cause?.root))
    }
}
