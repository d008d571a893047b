public import Synchronization

/// State that only a reducer changes, one action after the other.
///
/// A store belongs to whatever isolation made it (an actor, the main actor, an event loop) and is
/// synchronous. What is dispatched from inside, by an observer or a middleware, follows the
/// present action; nothing is re-entrant. Versions count the entries: 0 is the initial state.
///
/// There are two states: the committed one, which everybody sees, and `head`, which includes the
/// entries that are decided and not yet kept. A session submits actions with a closure that hands
/// their entries to its journal: what is kept at once is committed at once, the rest once the
/// session calls `commit(through:)`. A store without a journal dispatches: everything is kept.
///
/// Complexity of a dispatch: one call of the reducer, one comparison of the states, and where they
/// differ one selection and one comparison for each observer.
public final class Store<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline var committed: State
    var observers: [(id: UInt64, observer: Observer<State, Action>)] = []
    /// Tells all observers; nobody when they have changed, until the next round.
    @usableFromInline var round = Observer<State, Action>(all: [])
    @usableFromInline var hasRound = false
    @usableFromInline let flags: StoreFlags
    @usableFromInline let reducer: Reducer<State, Action>

    /// The bounds.
    public let limits: StoreLimits
    /// Time and ids.
    public let environment: Environment
    /// Told of loops that were cut and effects that failed. What it dispatches follows.
    public var onDiagnostic: (StoreDiagnostic) -> Void = { _ in }
    /// Told of a root version when the last effect of its chain has ended. What it dispatches
    /// follows, caused by what came last.
    public var onSettled: ((UInt64) -> Void)?
    /// Around the reducer, in their order; a session's inspector may switch them.
    public var middleware: [Middleware<State, Action>] {
        didSet { countMiddleware() }
    }

    /// What is checked of the reducer, while an application is developed; nil: nothing.
    public var checks: ReductionChecks<State>? {
        didSet {
            hasLargeState = false
            updatePlainness()
        }
    }

    /// The state was beyond its budget after the last reduction.
    var hasLargeState = false
    var interceptorCount = 0
    var reactionCount = 0
    @usableFromInline var pending: [PendingEntry<State, Action>] = []
    /// How many of them are not yet committed: all, except during a commit.
    @usableFromInline var pendingCount = 0
    /// The last version that the journal has kept while its action was being decided about.
    var keptVersion: UInt64 = 0
    var followUps = FollowUps<Action>()
    /// The sequences of values among the observers.
    var feeds: [(id: UInt64, reader: FeedReader)] = []
    /// The entry whose commit is under way: what observers dispatch is caused by it.
    var present: Provenance?
    /// The follow-up that is being decided about: what is dispatched meanwhile has its cause.
    var deciding: FollowUp<Action>?
    var isDiagnosing = false
    /// Follow-ups and reports of effects that are not yet committed, by their root.
    var unsettled: [UInt64: Descendants] = [:]
    /// Roots that may have settled, and nobody was told yet, with what came last of each.
    var released: [UInt64: Provenance] = [:]
    /// The committed state has changed since the scopes of running effects were looked at.
    var hasUnseenScopes = false
    /// The state before a batch that has changed it, whose observers are told at its end.
    var untold: State?
    var throttles = Throttles()
    var lastDelay: UInt64 = 0
    /// What the present decision puts off, and begins where it is accepted.
    var delays: [DelayedAction<Action>] = []
    /// What was put off together with a decided entry, by its version, and begins with its commit.
    var decidedDelays: [UInt64: [DelayedAction<Action>]] = [:]
    /// The present decision has put something off or throttled it.
    var hasTimed = false
    var hasDecidedDelays = false
    /// Which interceptor a delayed action goes on at, by the name of the effect that waits.
    var resumptions: [String: Resumption] = [:]
    private let deliver: (@Sendable (EffectDelivery<Action>) -> Void)?
    private(set) var runner: EffectRunner<State, Action>?

    /// A store that begins with a state: version 0, or one that was kept before, with the version
    /// of the last entry that changed it.
    ///
    /// - Parameter deliver: called from Swift's pool with what effects report; hands it over to
    ///   the store's isolation, which calls `receive` or `accept`. Needed once effects run.
    public init(
        initial state: State, version: UInt64 = 0, lastChange: UInt64? = nil,
        reducer: Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [], environment: Environment,
        limits: StoreLimits = StoreLimits(),
        deliver: (@Sendable (EffectDelivery<Action>) -> Void)? = nil
    ) {
        committed = state
        flags = StoreFlags(version, lastChange: lastChange ?? version)
        self.reducer = reducer
        self.middleware = middleware
        self.environment = environment
        self.limits = limits
        self.deliver = deliver
        countMiddleware()
    }

    /// Changes whenever `observers` does, so that a round of notifications sees it.
    @inlinable var observersVersion: UInt64 {
        get { flags.observersVersion.load(ordering: .relaxed) }
        set { flags.observersVersion.store(newValue, ordering: .relaxed) }
    }

    /// The number of the last committed entry.
    @inlinable var committedVersion: UInt64 {
        get { flags.committedVersion.load(ordering: .relaxed) }
        set { flags.committedVersion.store(newValue, ordering: .relaxed) }
    }

    /// The last committed entry that changed the state.
    @inlinable var changedVersion: UInt64 {
        get { flags.changedVersion.load(ordering: .relaxed) }
        set { flags.changedVersion.store(newValue, ordering: .relaxed) }
    }

    /// Nothing stands around the reducer and nothing is under way: see `updatePlainness`.
    @inlinable var isPlain: Bool {
        get { flags.isPlain.load(ordering: .relaxed) }
        set { flags.isPlain.store(newValue, ordering: .relaxed) }
    }

    /// An action is being decided about or committed, or somebody is being told: what is
    /// dispatched now follows.
    @inlinable var isBusy: Bool {
        get { flags.isBusy.load(ordering: .relaxed) }
        set { flags.isBusy.store(newValue, ordering: .relaxed) }
    }

    /// Something was dispatched, started or switched since this was last looked at.
    @inlinable var isDisturbed: Bool {
        get { flags.isDisturbed.load(ordering: .relaxed) }
        set { flags.isDisturbed.store(newValue, ordering: .relaxed) }
    }

    /// What is committed.
    @inlinable public var state: State { committed }

    /// The number of the last committed entry.
    @inlinable public var version: UInt64 { committedVersion }

    /// The last committed entry that changed the state.
    @inlinable public var lastChange: UInt64 { changedVersion }

    /// The state with everything that is decided.
    public var head: State {
        guard pendingCount > 0 else { return committed }
        guard let state = pending[pending.count - 1].state else {
            preconditionFailure("The last of the entries that are decided together has a state.")
        }
        return state
    }

    /// The number of the last decided entry.
    public var headVersion: UInt64 { committedVersion + UInt64(pendingCount) }

    /// The entries that are decided and not yet committed, in their order.
    public var uncommitted: [StagedEntry<Action>] {
        pending.suffix(pendingCount).map { StagedEntry($0) }
    }

    private func countMiddleware() {
        interceptorCount = middleware.count { $0.isEnabled && $0.intercept != nil }
        reactionCount = middleware.count { $0.isEnabled && $0.react != nil }
        updatePlainness()
    }

    /// Called after everything that `isPlain` sums up for the short way of an action.
    @usableFromInline
    func updatePlainness() {
        if isBusy { isDisturbed = true }
        isPlain =
            !isBusy && interceptorCount == 0 && reactionCount == 0 && checks == nil
            && pendingCount == 0 && followUps.isEmpty && unsettled.isEmpty && runner?.isIdle ?? true
    }

    /// The runner, made with the first effect.
    func effectRunner() -> EffectRunner<State, Action> {
        isPlain = false
        isDisturbed = true
        if let runner { return runner }
        let made = EffectRunner<State, Action>(
            environment: environment, limits: limits, deliver: deliver,
            diagnose: { [weak self] in self?.diagnose($0) })
        runner = made
        return made
    }
}

/// What every dispatch looks at several times. One isolation alone uses it; atomic only because
/// the run time checks every access to a variable of a class for exclusivity, and to these none.
@usableFromInline
struct StoreFlags: ~Copyable {
    @usableFromInline let committedVersion: Atomic<UInt64>
    @usableFromInline let changedVersion: Atomic<UInt64>
    @usableFromInline let observersVersion = Atomic<UInt64>(0)
    @usableFromInline let isPlain = Atomic(true)
    @usableFromInline let isBusy = Atomic(false)
    @usableFromInline let isDisturbed = Atomic(false)

    init(_ version: UInt64, lastChange: UInt64) {
        committedVersion = Atomic(version)
        changedVersion = Atomic(lastChange)
    }
}
