/// State that only a reducer changes, one action after the other.
///
/// A store belongs to whatever isolation made it (an actor, the main actor, an event loop) and is
/// synchronous. What is dispatched from inside, by an observer or a middleware, follows the
/// present action; nothing is re-entrant. Versions count the entries: 0 is the initial state.
///
/// There are two states: what is committed, which everybody sees, and `head`, which includes what
/// is decided but not yet durable. `dispatch` goes through both at once; a session that has to
/// wait for its journal calls `stage`, and `commit` once that is durable.
public final class Store<State: Sendable & Equatable, Action: Sendable> {
    /// What is committed.
    public internal(set) var state: State
    /// The number of the last committed entry.
    public internal(set) var version: UInt64
    /// The last committed entry that changed the state.
    public internal(set) var lastChange: UInt64
    /// The bounds.
    public let limits: StoreLimits
    /// Time and ids.
    public let environment: Environment
    /// Told of loops that were cut and effects that failed.
    public var onDiagnostic: (StoreDiagnostic) -> Void = { _ in }
    /// Told of a root version when the last effect of its chain has ended.
    public var onSettled: ((UInt64) -> Void)?

    let reducer: Reducer<State, Action>
    /// Around the reducer, in their order; a session's inspector may switch them.
    public var middleware: [Middleware<State, Action>] {
        didSet { countMiddleware() }
    }
    var interceptorCount = 0
    var reactionCount = 0
    var pending: [PendingEntry<State, Action>] = []
    var observers: [Observer<State>] = []
    var lastObserver: UInt64 = 0
    var isBusy = false
    var followUps: [FollowUp<Action>] = []
    /// Follow-ups and reports of effects that are not yet committed, by their root.
    var unsettled: [UInt64: Int] = [:]
    /// Which interceptor a delayed action goes on at, by the name of the effect that waits.
    var resumptions: [String: Int] = [:]
    private let deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    private(set) var runner: EffectRunner<State, Action>?

    /// A store that begins with a state.
    ///
    /// - Parameter deliver: called from Swift's pool with what effects report; hands it over to
    ///   the store's isolation, which calls `receive` or `accept`. Needed once effects run.
    public init(
        initial state: State, version: UInt64 = 0, reducer: Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [], environment: Environment,
        limits: StoreLimits = StoreLimits(),
        deliver: (@Sendable (EffectDelivery<Action>) -> Void)? = nil
    ) {
        self.state = state
        self.version = version
        lastChange = version
        self.reducer = reducer
        self.middleware = middleware
        self.environment = environment
        self.limits = limits
        self.deliver = deliver
        countMiddleware()
    }

    /// The state with everything that is decided.
    public var head: State { pending.last?.state ?? state }

    /// The number of the last decided entry.
    public var headVersion: UInt64 { pending.last?.version ?? version }

    /// What is decided and not yet committed, in its order.
    public var uncommitted: [PendingEntry<State, Action>] { pending }

    private func countMiddleware() {
        interceptorCount = middleware.count { $0.isEnabled && $0.intercept != nil }
        reactionCount = middleware.count { $0.isEnabled && $0.react != nil }
    }

    /// The runner, made with the first effect.
    func effectRunner() -> EffectRunner<State, Action> {
        if let runner { return runner }
        let made = EffectRunner<State, Action>(
            environment: environment, limits: limits, deliver: deliver,
            diagnose: { [weak self] in self?.onDiagnostic($0) })
        runner = made
        return made
    }
}

/// An action that follows the present one.
struct FollowUp<Action: Sendable> {
    var action: Action
    var origin: Origin
    var cause: UInt64?
    var root: UInt64?
    var depth: Int
    var chain: [UInt64]
    /// Interceptors before this one have seen it already.
    var firstInterceptor = 0
}
