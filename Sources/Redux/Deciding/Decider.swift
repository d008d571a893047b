/// Decides about actions: leads them through the interceptors to the reducer, under checks if there
/// are any, and remembers what interceptors hold back. It knows no committed state and no journal; a
/// proposal that is refused leaves no trace.
final class Decider<State: Sendable & Equatable, Action: Sendable> {
    /// Waits in place of an action, and sends it; a later one of its name takes its place.
    typealias DelayedEffect = (effect: Effect<Action>, cause: Cause)

    private let reducer: Reducer<State, Action>
    let step: Step
    let environment: Environment
    private let limits: StoreLimits
    let consequences: Consequences<State, Action>
    var middleware: [Middleware<State, Action>] {
        didSet { countMiddleware() }
    }
    private var hasInterceptors = false
    private var hasReactions = false
    /// An action that an interceptor delays can go on later.
    private let canWait: Bool
    var checks: ReductionChecks<State>? {
        didSet { hasLargeState = false }
    }
    /// The state was beyond its budget after the last reduction.
    private var hasLargeState = false
    private var throttles = Throttles()
    private lazy var elapsed = environment.clock.timeSinceNow()
    /// The actions that the present decision delays.
    private var delayed: [DelayedEffect] = []
    /// Delayed actions that wait for the commit of the last entry of their decision, by its version.
    private var decided: [UInt64: [DelayedEffect]] = [:]
    /// The present decision has throttled or delayed something.
    private(set) var holdsBack = false
    /// Delayed actions wait for a commit.
    private(set) var hasDecided = false
    private var lastDelay: UInt64 = 0

    init(
        _ reducer: @escaping Reducer<State, Action>, _ step: Step,
        _ middleware: [Middleware<State, Action>],
        _ checks: ReductionChecks<State>?, _ environment: Environment, _ limits: StoreLimits,
        _ consequences: Consequences<State, Action>, canWait: Bool
    ) {
        self.reducer = reducer
        self.step = step
        self.environment = environment
        self.limits = limits
        self.consequences = consequences
        self.canWait = canWait
        self.middleware = middleware
        self.checks = checks
        countMiddleware()
    }

    private func countMiddleware() {
        hasInterceptors = middleware.contains { $0.isEnabled && $0.intercept != nil }
        hasReactions = middleware.contains { $0.isEnabled && $0.effectsAfter != nil }
    }

    /// Nothing stands around the reducer.
    var isBare: Bool { !hasInterceptors && !hasReactions && checks == nil }

    /// Nothing is remembered of earlier actions.
    var isForgetful: Bool { delayed.isEmpty && decided.isEmpty && throttles.isEmpty }

    // MARK: Before the reducer

    /// Makes a proposal.
    func decide(_ proposal: Proposal<State, Action>) {
        if hasInterceptors {
            proposal.time = step.clamped(proposal.time ?? environment.now())
        }
        do throws(Rejection) {
            for index in 0..<proposal.incoming.count {
                try decide(proposal.incoming.actions[index], proposal)
            }
        } catch {
            proposal.refuse(.rejected(error))
        }
    }

    private func decide(
        _ action: Action, _ proposal: Proposal<State, Action>
    ) throws(Rejection) {
        let before = proposal.version
        guard hasInterceptors else {
            try reduce(action, proposal)
            return proposal.outcomes.append(proposal.accepted(behind: before))
        }
        let (passed, delay) = try intercept(action, proposal)
        for index in 0..<passed.count { try reduce(passed[index], proposal) }
        proposal.outcomes.append(
            passed.isEmpty
                ? delay.map { .delayed($0) } ?? .dropped : proposal.accepted(behind: before))
    }

    private func reduce(
        _ action: Action, _ proposal: Proposal<State, Action>
    ) throws(Rejection) {
        let incoming = proposal.incoming
        step.begin(
            version: proposal.version + 1, by: incoming.by, at: proposal.time,
            cause: incoming.cause?.version)
        var new = proposal.state
        if let checks {
            new = try attempt(action, on: new, checks).get()
            measure(new, checks)
        } else {
            try reducer(&new, action, step)
        }
        proposal.add(action, step, new, changed: new != proposal.state)
    }

    func attempt(_ action: Action, on old: State) -> Result<State, Rejection> {
        var state = old
        do throws(Rejection) {
            try reducer(&state, action, step)
            return .success(state)
        } catch {
            return .failure(error)
        }
    }

    private func measure(_ state: State, _ checks: ReductionChecks<State>) {
        guard let budget = checks.sizeBudget else { return }
        let byteCount = checks.byteCount(state, budget)
        defer { hasLargeState = byteCount > budget }
        guard byteCount > budget, !hasLargeState else { return }
        consequences.diagnose(
            .largeState(version: step.version, byteCount: byteCount, budget: budget))
    }

    /// Leads an action through the interceptors; answers with those that reach the reducer, and the
    /// longest delay. One that is delayed does not hold up the others.
    private func intercept(
        _ action: Action, _ proposal: Proposal<State, Action>
    ) throws(Rejection) -> (passed: [Action], delay: Duration?) {
        // The middleware that stand when the action comes: an interceptor may switch them.
        let (list, incoming) = (middleware, proposal.incoming)
        let surroundings = Incoming(
            origin: incoming.origin, by: incoming.by, at: proposal.time ?? environment.now())
        var actions = [action]
        var longest: Duration?
        for index in list.indices.dropFirst(firstInterceptor(of: incoming)) {
            guard list[index].isEnabled, let intercept = list[index].intercept else { continue }
            guard actions.count <= limits.queuedActions else { break }
            let place = InterceptorPlace(
                index: index, name: list[index].name, origin: incoming.origin, by: incoming.by)
            var next = 0
            while next < actions.count {
                let action = actions[next]
                var delay: Duration?
                switch intercept(action, proposal.state, surroundings) {
                case .pass:
                    next += 1
                    continue
                case .replace(let other):
                    actions[next] = other
                    next += 1
                    continue
                case .expand(let others):
                    actions.replaceSubrange(next...next, with: others)
                    next += others.count
                    continue
                case .drop: break
                case .reject(let rejection): throw rejection
                case .delay(let duration, let key):
                    holdsBack = true
                    lastDelay += 1
                    let name = "delay/\(key ?? "\(lastDelay)")"
                    if !canWait { tellLost(key.map { "delay/\($0)" } ?? "delay") }
                    delay = try hold(action, for: duration, named: name, place, proposal)
                case .passOnce(let period, let key):
                    holdsBack = true
                    let limit = limits.rememberedThrottles
                    guard
                        let (duration, number) = try throttles.admit(
                            key, per: period, limit: limit, at: elapsed(), canWait: canWait)
                    else {
                        next += 1
                        continue
                    }
                    // One that waits for an earlier period's end, and comes late, is left to go on.
                    let name = "throttle/\(number)/\(key)"
                    delay = try hold(action, for: duration, named: name, place, proposal)
                }
                actions.remove(at: next)
                if let delay { longest = max(delay, longest ?? delay) }
            }
        }
        guard actions.count <= limits.queuedActions else { throw .tooManyActions }
        return (actions, longest)
    }

    /// The one behind the interceptor that delayed an action, or behind the one that has come to stand
    /// in its place.
    private func firstInterceptor(of incoming: IncomingAction<Action>) -> Int {
        guard let place = incoming.place else { return 0 }
        let (index, name) = (place.index, place.name)
        if index < middleware.count, middleware[index].name == name { return index + 1 }
        return middleware.firstIndex { $0.name == name }.map { $0 + 1 } ?? index
    }

    // MARK: What is held back

    private func tellLost(_ name: String) {
        consequences.diagnose(
            .effectFailed(
                name: name, error: "A store without `deliver` has no way to go on later."))
    }

    /// Notes an action that waits, in place of an earlier one of its name; nil where none can.
    private func hold(
        _ action: Action, for duration: Duration, named name: String, _ place: InterceptorPlace,
        _ proposal: Proposal<State, Action>
    ) throws(Rejection) -> Duration? {
        guard canWait else { return nil }
        if let earlier = delayed.firstIndex(where: { $0.effect.name == name }) {
            delayed.remove(at: earlier)
        } else if !consequences.hasRoom(for: name, beside: delayed.count) {
            consequences.diagnose(.effectsExhausted(name: name, limit: limits.runningEffects))
            throw .tooManyEffects
        }
        var operation = WorkOperation<Action>(.effect) { context in
            try await context.sleep(for: duration)
            return action
        }
        operation.place = place
        let incoming = proposal.incoming
        let cause = Cause(
            version: proposal.version, origin: incoming.origin, after: incoming.cause,
            in: incoming.chain)
        let effect = Effect(name: name, overlap: .latest, operation: operation)
        delayed.append((effect, cause))
        return duration
    }

    /// Ends a proposal; answers with the delays that begin now. Those of a decision with entries begin
    /// with the commit of the last one, those of a refused one never.
    func conclude(_ proposal: Proposal<State, Action>) -> [DelayedEffect] {
        holdsBack = false
        throttles.conclude(isRefused: proposal.refusal != nil)
        guard !delayed.isEmpty else { return [] }
        defer { delayed = [] }
        guard proposal.refusal == nil else { return [] }
        guard !proposal.isEmpty else { return delayed }
        decided[proposal.version] = delayed
        hasDecided = true
        return []
    }

    /// Takes the delays that begin with a commit.
    func takeDelayed(by version: UInt64) -> [DelayedEffect] {
        defer { hasDecided = !decided.isEmpty }
        return decided.removeValue(forKey: version) ?? []
    }

    /// Forgets what was decided behind a version: it could not be kept.
    func revert(to version: UInt64) {
        throttles.removeAll()
        decided = decided.filter { $0.key <= version }
    }

    // MARK: After the reducer

    /// The state behind an entry whose own was not kept: made once more where reactions see it.
    func state(behind entry: PendingEntry<State, Action>, on committed: State) -> State {
        guard hasReactions else { return committed }
        guard let action = entry.entry.action else { return entry.state }
        step.resume(entry.entry)
        return (try? attempt(action, on: committed).get()) ?? committed
    }

    /// Shows a step to all reactions, and starts their effects, but for a replay's. A state that was
    /// set by hand is no step.
    func react(to pending: PendingEntry<State, Action>, _ old: State, _ new: State, as cause: Cause)
    {
        if hasReactions { show(pending.entry, old, new, cause) }
    }

    /// By itself, for a step costs a look-up of its type, even where none is made.
    @inline(never)
    private func show(_ entry: Entry<Action>, _ old: State, _ new: State, _ cause: Cause) {
        guard let action = entry.action else { return }
        let step = Transition(
            old: old, new: new, action: action, version: entry.version, origin: entry.origin,
            by: entry.by, at: entry.at, cause: entry.cause, changed: entry.changed)
        for middleware in middleware where middleware.isEnabled {
            guard let effects = middleware.effectsAfter?(step), entry.origin != .replay
            else { continue }
            for effect in effects { consequences.start(effect, causedBy: cause) }
        }
    }
}

/// The place among the interceptors where a delayed action goes on.
struct InterceptorPlace: Sendable, Hashable {
    /// Behind the interceptor at this index, if nothing was switched around meanwhile.
    var index: Int
    /// The name of the interceptor.
    var name: String
    var origin: Origin
    /// The one who sent the action; nil: the server itself.
    var by: Principal?
}
