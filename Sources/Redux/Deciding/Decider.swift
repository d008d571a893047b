/// Decides about actions: leads them through the interceptors to the reducer, under checks if there
/// are any. It knows no committed state and no journal; a proposal that is refused leaves no trace.
final class Decider<State: Sendable & Equatable, Action: Sendable> {
    let reduction: Reduction<State, Action>
    let environment: Environment
    let limits: StoreLimits
    private var list: MiddlewareList<State, Action>
    private var inspector: ReductionInspector<State, Action>?
    private var interception: Interception<Action>
    /// The present proposal has throttled or delayed something.
    private var isTimed = false
    /// Delayed actions wait for a commit.
    private var hasDelayed = false

    /// - Parameter canWait: an action that an interceptor delays can go on later.
    init(
        _ reduction: Reduction<State, Action>, _ middleware: [Middleware<State, Action>],
        _ checks: ReductionChecks<State>?, _ environment: Environment, _ limits: StoreLimits,
        canWait: Bool
    ) {
        self.reduction = reduction
        self.environment = environment
        self.limits = limits
        list = MiddlewareList(middleware)
        interception = Interception(limits: limits, canWait: canWait)
        self.checks = checks
    }

    /// Nothing stands around the reducer.
    var isBare: Bool { !list.hasInterceptors && !list.hasReactions && inspector == nil }

    /// Nothing is remembered of earlier actions.
    var isForgetful: Bool { interception.isEmpty }

    var middleware: [Middleware<State, Action>] {
        get { list.all }
        set { list = MiddlewareList(newValue) }
    }

    var checks: ReductionChecks<State>? {
        get { inspector?.checks }
        set {
            inspector = newValue.map { ReductionInspector($0, reduction, clock: environment.clock) }
        }
    }

    // MARK: Before the reducer

    /// Makes a proposal.
    ///
    /// - Parameters:
    ///   - hasRoom: tells whether an effect of a name may begin beside so many others.
    ///   - diagnose: is told of what goes wrong beside the outcome.
    func decide(
        _ proposal: Proposal<State, Action>, hasRoom: (String, Int) -> Bool,
        diagnose: (StoreDiagnostic) -> Void
    ) {
        if list.hasInterceptors {
            proposal.time = reduction.step.clamped(proposal.time ?? environment.now())
        }
        proposal.run { action throws(Rejection) in
            let before = proposal.version
            guard list.hasInterceptors else {
                try reduce(action, into: proposal, diagnose)
                return proposal.accepted(behind: before)
            }
            var action = action
            var several: [Action]?
            switch intercept(&action, orElse: &several, proposal, hasRoom, diagnose) {
            case .one: try reduce(action, into: proposal, diagnose)
            case .several:
                for action in several ?? [] { try reduce(action, into: proposal, diagnose) }
            case .rejected(let rejection): throw rejection
            case .delayed(let duration): return .delayed(duration)
            case .dropped: return .dropped
            }
            return proposal.accepted(behind: before)
        }
    }

    private func reduce(
        _ action: Action, into proposal: Proposal<State, Action>,
        _ diagnose: (StoreDiagnostic) -> Void
    ) throws(Rejection) {
        let (reduction, inspector) = (reduction, inspector)
        let incoming = proposal.incoming
        try proposal.add(action, reduction.step) { (state, action, version) throws(Rejection) in
            reduction.step.begin(
                version: version, by: incoming.by, at: proposal.time,
                cause: incoming.cause?.version)
            guard let inspector else { return try reduction.run(&state, action) }
            return try inspector.run(&state, action, version: version, diagnose: diagnose)
        }
    }

    private func intercept(
        _ action: inout Action, orElse several: inout [Action]?,
        _ proposal: Proposal<State, Action>, _ hasRoom: (String, Int) -> Bool,
        _ diagnose: (StoreDiagnostic) -> Void
    ) -> InterceptionResult {
        // The middleware that stand when the action comes: an interceptor may switch them.
        let (list, incoming) = (list, proposal.incoming)
        let (state, version) = (proposal.state, proposal.version)
        let surroundings = Incoming(
            origin: incoming.origin, by: incoming.by, at: proposal.time ?? environment.now())
        return InterceptionResult.lead(
            &action, orElse: &several, through: list.indices(from: incoming.firstInterceptor),
            limit: limits.queuedActions
        ) { action, index in
            let verdict = list.judge(action, at: index, on: state, surroundings)
            guard verdict.isTimed else { return verdict }
            return rule(
                on: verdict, of: action,
                Cause(
                    version: version, origin: incoming.origin, after: incoming.cause,
                    in: incoming.chain),
                list.place(behind: index, incoming.origin, incoming.by), hasRoom, diagnose)
        }
    }

    private func rule(
        on verdict: Verdict<Action>, of action: Action, _ cause: Cause,
        _ place: InterceptorPlace, _ hasRoom: (String, Int) -> Bool,
        _ diagnose: (StoreDiagnostic) -> Void
    ) -> Verdict<Action> {
        isTimed = true
        let ruling = interception.rule(
            on: verdict, of: action, cause: cause, place: place,
            clock: environment.clock, hasRoom: hasRoom)
        if let diagnostic = ruling.diagnostic { diagnose(diagnostic) }
        return ruling.verdict
    }

    /// The interceptor that a delayed action meets first.
    func firstInterceptor(behind place: InterceptorPlace) -> Int {
        list.index(behind: place)
    }

    /// Ends a proposal; answers with the delays that begin now.
    func conclude(_ proposal: Proposal<State, Action>) -> [DelayedAction<Action>]? {
        guard isTimed else { return nil }
        isTimed = false
        let begun = interception.conclude(
            isRefused: proposal.outcome.isRefused,
            waitsFor: proposal.isEmpty ? nil : proposal.version)
        hasDelayed = interception.hasDelayed
        return begun
    }

    /// Takes the delays that begin with a commit.
    func takeDelayed(by version: UInt64) -> [DelayedAction<Action>]? {
        guard hasDelayed else { return nil }
        defer { hasDelayed = interception.hasDelayed }
        return interception.takeDelayed(by: version)
    }

    /// Forgets what was decided behind a version.
    func revert(to version: UInt64) { interception.revert(to: version) }

    // MARK: After the reducer

    /// The state behind an entry whose own was not kept: made once more where reactions see it.
    func state(behind entry: PendingEntry<State, Action>, on committed: State) -> State {
        list.hasReactions ? reduction.rerun(entry, on: committed) : committed
    }

    /// Shows a step to all reactions, and hands their effects over one by one, but for a replay's.
    func react(
        to entry: PendingEntry<State, Action>, _ old: State, _ new: State,
        start: (Effect<Action>) -> Void
    ) {
        if list.hasReactions { show(entry, old, new, start) }
    }

    /// A state that was set by hand is no step. By itself, for a step costs a look-up of its type, even
    /// where none is made.
    @inline(never)
    private func show(
        _ pending: PendingEntry<State, Action>, _ old: State, _ new: State,
        _ start: (Effect<Action>) -> Void
    ) {
        let entry = pending.entry
        guard let action = entry.action else { return }
        let list = list
        let step = Transition(
            old: old, new: new, action: action, version: entry.version,
            origin: entry.origin, by: entry.by, at: entry.at,
            cause: entry.cause, changed: entry.changed)
        for middleware in list.all where middleware.isEnabled {
            guard let effectsAfter = middleware.effectsAfter else { continue }
            let effects = effectsAfter(step)
            guard effects.count > 0, entry.origin != .replay else { continue }
            for effect in effects { start(effect) }
        }
    }
}
