/// State that only a reducer changes, one action after the other.
///
/// A store belongs to whatever isolation made it (an actor, the main actor, an event loop) and is
/// synchronous. What is dispatched from inside, by an observer or a middleware, waits for the
/// present action; nothing is re-entrant. Versions count the entries: 0 is the initial state.
///
/// A store needs no journal: it is a `Ledger` whose entries are all kept at once.
///
/// Complexity of a dispatch: one call of the reducer, one comparison of the states, and where they
/// differ one selection and one comparison for each observer.
public final class Store<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline package let ledger: Ledger<State, Action>

    /// A store that begins with a state.
    ///
    /// - Parameters:
    ///   - session: the session that its steps tell; `local` where there is none.
    ///   - work: the work that a state wants to have going on; see ``Work``.
    ///   - deliver: called from Swift's pool with what effects and work report; hands it over to the
    ///     store's isolation, which calls `receive`. Needed once effects or work run.
    @inlinable
    public init(
        initial state: State, reducer: @escaping Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [], environment: Environment,
        limits: StoreLimits = StoreLimits(), session: SessionID? = nil,
        work: (@Sendable (State) -> [Work<Action>])? = nil,
        deliver: (@Sendable (StoreDelivery<Action>) -> Void)? = nil
    ) {
        ledger = Ledger(
            initial: state, reducer: reducer, middleware: middleware, environment: environment,
            limits: limits, session: session, work: work.map { WorkSource($0) }, deliver: deliver)
    }

    /// A store of a ledger whose entries are all kept at once.
    package init(_ ledger: Ledger<State, Action>) {
        self.ledger = ledger
    }

    /// The state behind the last action.
    @inlinable public var state: State { ledger.state }

    /// The number of accepted actions.
    @inlinable public var version: UInt64 { ledger.version }

    /// Around the reducer, in their order.
    public var middleware: [Middleware<State, Action>] {
        get { ledger.decider.middleware }
        set {
            ledger.decider.middleware = newValue
            ledger.consequences.isQuiet = false
        }
    }

    /// The checks of the reducer while an application is developed; nil: none.
    public var checks: ReductionChecks<State>? {
        get { ledger.decider.checks }
        set {
            ledger.decider.checks = newValue
            ledger.consequences.isQuiet = false
        }
    }

    /// Told of loops that were cut and effects that failed. What it dispatches waits.
    public var onDiagnostic: (StoreDiagnostic) -> Void {
        get { ledger.consequences.onDiagnostic }
        set { ledger.consequences.onDiagnostic = newValue }
    }

    /// Told of a root version when the last effect of its chain has ended. What it dispatches
    /// waits, caused by what came last.
    public var onSettled: ((UInt64) -> Void)? {
        get { ledger.consequences.onSettled }
        set { ledger.consequences.onSettled = newValue }
    }

    /// Switches the middleware of a name on or off; false where none has it.
    ///
    /// What an interceptor has delayed before goes on all the same.
    @discardableResult
    public func switchMiddleware(_ name: String, isEnabled: Bool) -> Bool {
        let indices = middleware.indices.filter { middleware[$0].name == name }
        for index in indices { middleware[index].isEnabled = isEnabled }
        return !indices.isEmpty
    }

    // MARK: Actions

    /// Dispatches an action: interceptors, reducer, observers, effects, and the actions that these
    /// cause.
    ///
    /// Called from inside of another dispatch it returns `.queued`, and waits.
    @inlinable @discardableResult
    public func dispatch(
        _ action: Action, origin: Origin = .client, as principal: Principal? = nil
    ) -> Outcome {
        ledger.submit(action, origin, principal, nil, { _ in .kept }) { _, _ in .kept }
    }

    /// Dispatches several actions: all of them, or none. Observers are told of them at once.
    @discardableResult
    public func dispatch(
        batch actions: [Action], origin: Origin = .client, as principal: Principal? = nil
    ) -> BatchOutcome {
        ledger.submit(batch: actions, origin: origin, by: principal) { _ in .kept }
    }

    // MARK: Effects

    /// Begins the work that the first state wants.
    public func startWork() {
        ledger.startWork(staging: false)
    }

    /// Takes a report of an effect or of work: its action is dispatched.
    public func receive(_ delivery: StoreDelivery<Action>) {
        ledger.accept(delivery)
        ledger.submitCausedActions { _ in .kept }
    }

    /// The works that run or wait, and the alarms that are set.
    public var runningWork: [RunningWork] { ledger.consequences.runningWork }

    /// The memory of the works, for a store that goes on from this one's state.
    package var workRecords: [WorkRecord] { ledger.consequences.workRecords }

    /// The last action that has changed the state.
    package var lastChange: UInt64 { ledger.lastChange }

    /// The time of the last action, nil before the first.
    package var lastTime: Timestamp? { ledger.lastTime }

    /// The effects that run, and those that wait to begin.
    public var runningEffects: [RunningEffect] { ledger.consequences.runningEffects }

    /// No effect runs.
    public var isIdle: Bool { ledger.consequences.isIdle }

    /// Tells whether nothing that a version started, or caused, is still under way.
    public func isSettled(_ root: UInt64) -> Bool { ledger.consequences.isSettled(root) }

    /// Cancels everything that runs or waits, actions among it.
    public func cancelAllEffects() { ledger.cancelAllEffects() }
}

extension Store: StateSequences {
    /// Tells of a part of the state: as it is now, and after each commit in which it differs.
    ///
    /// The part may be stored or computed; it is selected twice for each commit, out of the state
    /// before and the state after. Ends with the subscription. What the observer dispatches waits
    /// for the present action.
    @inlinable @inline(__always)
    public func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        let subscription = ledger.observers.observe(select, onChange)
        ledger.perform { onChange(select(state)) }
        return subscription
    }

    /// Tells of the property at a key path, stored or computed.
    ///
    /// A closure is faster: a key path is looked up each time.
    @_disfavoredOverload
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<State, Value>, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        observe({ $0[keyPath: keyPath] }, onChange)
    }

    /// A part of the state as a sequence; see `StateSequences`.
    public func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value
    ) -> AsyncStream<Value> {
        ledger.observers.values(of: select, from: state)
    }
}

/// Bounds of one store.
public struct StoreLimits: Sendable, Hashable {
    /// The length to which a chain of caused actions may grow.
    public var chainLength = 100
    /// The number of actions that one may cause before nothing waits: what branches ends, too.
    public var followingActions = 10_000
    /// An effect that ran for so long begins a new chain: slow circles are lawful.
    public var quietDuration = Duration.seconds(1)
    /// The number of effects that run at once, of works, and of actions that wait.
    public var runningEffects = 1_000
    /// The number of effects that wait in the queue of one name.
    public var queuedEffects = 100
    /// The number of kinds of throttled actions that are remembered at once.
    public var rememberedThrottles = 10_000
    /// The number of actions that wait behind the present one.
    public var queuedActions = 10_000

    /// The defaults.
    public init() {}
}

/// The news of a store that are no part of its state.
public enum StoreDiagnostic: Sendable, Hashable {
    /// A chain of caused actions was longer than the limit and was cut, or its root caused more
    /// actions than the limit; the versions in the chain, the newest last.
    case chainCut(causes: [UInt64], limit: Int)
    /// An effect ended with an error.
    case effectFailed(name: String, error: String)
    /// An effect was not started because as many as allowed are running or queued.
    case effectsExhausted(name: String, limit: Int)
    /// An effect's action was rejected.
    case effectRejected(name: String, rejection: Rejection)
    /// An action that an observer, another callback or `Effect.send` dispatched on account of a
    /// version was rejected: no caller learns of it.
    case causedActionRejected(cause: UInt64, rejection: Rejection)
    /// An action that a version caused, or that an effect which it started has reported, could not be
    /// kept, and is lost.
    case causedActionLost(cause: UInt64)
    /// Work has something for operators.
    case work(WorkDiagnostic)
    /// A reducer did two different things with equal states and actions. Told only by a store that
    /// checks its reducer, as are the following.
    case impureReduction(version: UInt64, action: String, differences: [String])
    /// A reducer took longer than its budget.
    case slowReduction(version: UInt64, action: String, duration: Duration, budget: Duration)
    /// The state has grown beyond its budget; told again when it has been below it meanwhile.
    case largeState(version: UInt64, byteCount: Int, budget: Int)
}
