/// Decides about actions: leads them through the interceptors to the reducer, under checks if there
/// are any, and remembers what interceptors throttle. It knows no committed state and no journal; a
/// proposal that is refused leaves no trace.
final class Decider<State: Sendable & Equatable, Action: Sendable> {
    let reducer: Reducer<State, Action>
    let step: Step
    let environment: Environment
    private let limits: StoreLimits
    let consequences: Consequences<State, Action>
    var middleware: [Middleware<State, Action>] {
        didSet { countMiddleware() }
    }
    private var hasInterceptors = false
    private(set) var hasReactions = false
    /// An action that an interceptor delays can go on later.
    private let canWait: Bool
    var checks: ReductionChecks<State>? {
        didSet { hasLargeState = false }
    }
    /// The state was beyond its budget after the last reduction.
    var hasLargeState = false
    var throttles = Throttles()
    /// The print of the client that has sent the present action.
    var sender: UInt16 = 0
    private lazy var elapsed = environment.clock.timeSinceNow()
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

    /// An action that is throttled might have to wait now.
    var isThrottling: Bool {
        if !throttles.isEmpty { throttles.forget(at: elapsed()) }
        return !throttles.isEmpty
    }

    /// Nothing stands around the reducer.
    var isBare: Bool { !hasInterceptors && !hasReactions && checks == nil }

    // MARK: Before the reducer

    /// Makes entries of the actions of a proposal, or refuses it.
    func decide(_ proposal: Proposal<State, Action>) {
        let actions = proposal.sent
        if hasInterceptors {
            proposal.time = step.clamped(proposal.time ?? environment.now())
        }
        do throws(Rejection) {
            for index in 0..<actions.count {
                try decide(actions.count == 1 ? actions : [actions[index]], proposal)
            }
        } catch {
            proposal.refuse(.rejected(error))
        }
    }

    /// As above, where states are too large to compare each with the one before it.
    func decideAsWhole(_ proposal: Proposal<State, Action>) {
        let start = proposal.state
        decide(proposal)
        if proposal.refusal == nil, proposal.state == start { proposal.noteUnchanged() }
    }

    /// - Parameter one: the action alone.
    private func decide(_ one: [Action], _ proposal: Proposal<State, Action>) throws(Rejection) {
        let before = proposal.version
        var (actions, delay) = (one, Duration?.none)
        if hasInterceptors { try intercept(&actions, &delay, proposal) }
        for index in 0..<actions.count { try reduce(actions[index], proposal) }
        if before == proposal.baseVersion {
            proposal.actions = actions
        } else {
            proposal.actions += actions
        }
        proposal.outcomes.append(
            actions.count == 0
                ? delay.map { .delayed($0) } ?? .dropped : proposal.accepted(behind: before))
    }

    private func reduce(_ action: Action, _ proposal: Proposal<State, Action>) throws(Rejection) {
        step.begin(
            version: proposal.version + 1, by: proposal.arrival.by, at: proposal.time,
            cause: proposal.arrival.cause?.version)
        if !proposal.arrival.comparesEach, checks == nil {
            // Where it throws, the whole proposal is refused, and its state is nobody's.
            try reducer(&proposal.state, action, step)
            return proposal.add(step, changed: true)
        }
        var new = proposal.state
        if let checks {
            try reduce(&new, action, checks)
        } else {
            try reducer(&new, action, step)
        }
        proposal.add(step, new, changed: new != proposal.state)
    }

    /// Leads an action through the interceptors: what is left reaches the reducer. One that is delayed
    /// does not hold up the others.
    ///
    /// - Parameter delay: the longest one.
    private func intercept(
        _ actions: inout [Action], _ delay: inout Duration?, _ proposal: Proposal<State, Action>
    ) throws(Rejection) {
        // The middleware that stand when the action comes: an interceptor may switch them.
        let list = middleware
        var incoming = Incoming(
            origin: proposal.arrival.origin, by: proposal.arrival.by,
            at: proposal.time ?? environment.now())
        incoming.client = sender
        for place in firstInterceptor(of: proposal.arrival)..<list.count {
            guard list[place].isEnabled, let intercept = list[place].intercept else { continue }
            guard actions.count <= limits.queuedActions else { break }
            let delayer = (place, list[place].name)
            var index = 0
            while index < actions.count {
                let verdict = intercept(actions[index], proposal.state, incoming)
                try carryOut(verdict, on: &actions, &index, &delay, by: delayer, proposal)
            }
        }
        guard actions.count <= limits.queuedActions else { throw .tooManyActions }
    }

    /// - Parameter index: the place of the action that the verdict is about; goes on to the next one.
    private func carryOut(
        _ verdict: Verdict<Action>, on actions: inout [Action], _ index: inout Int,
        _ delay: inout Duration?, by delayer: (index: Int, name: String),
        _ proposal: Proposal<State, Action>
    ) throws(Rejection) {
        var wait: (duration: Duration, name: String)?
        switch verdict {
        case .pass: return index += 1
        case .replace(let other):
            actions[index] = other
            return index += 1
        case .expand(let others):
            actions.replaceSubrange(index...index, with: others)
            return index += others.count
        case .drop: break
        case .reject(let rejection): throw rejection
        case .delay(let duration, let key):
            lastDelay += 1
            if !canWait {
                let name = key.map { "delay/\($0)" } ?? "delay"
                let error = "A store without `deliver` has no way to go on later."
                consequences.diagnose(.effectFailed(name: name, error: error))
            }
            wait = (duration, "delay/\(key ?? "\(lastDelay)")")
        case .passOnce(let period, let key):
            let turn = try throttles.admit(
                key, per: period, limit: limits.rememberedThrottles, at: elapsed(),
                canWait: canWait)
            guard let turn else { return index += 1 }
            // One that waits for an earlier period's end, and comes late, is left to go on.
            wait = (turn.duration, "throttle/\(turn.number)/\(key)")
        }
        let action = actions.remove(at: index)
        guard canWait, let (duration, name) = wait else { return }
        try hold(action, for: duration, named: name, by: delayer, proposal)
        delay = max(duration, delay ?? duration)
    }

    /// The one behind the interceptor that delayed an action, or behind the one that has come to stand
    /// in its place.
    private func firstInterceptor(of arrival: Arrival) -> Int {
        guard let (index, name) = arrival.delayer else { return 0 }
        let isThere = index < middleware.count && middleware[index].name == name
        let place = isThere ? index : middleware.firstIndex { $0.name == name }
        return place.map { $0 + 1 } ?? min(index, middleware.count)
    }

    // MARK: What is held back

    /// Notes an action that waits, in place of an earlier one of its name.
    private func hold(
        _ action: Action, for duration: Duration, named name: String,
        by delayer: (index: Int, name: String), _ proposal: Proposal<State, Action>
    ) throws(Rejection) {
        var delayed = proposal.delayed ?? []
        var replacedCount = 0
        if let earlier = delayed.firstIndex(where: { $0.effect.name == name }) {
            replacedCount = delayed.remove(at: earlier).replacedCount + 1
        } else if !consequences.hasRoom(for: name, beside: delayed.count) {
            consequences.diagnose(.effectsExhausted(name: name, limit: limits.runningEffects))
            throw .tooManyEffects
        }
        var operation = WorkOperation<Action>(.effect) { context in
            try await context.sleep(for: duration)
            return action
        }
        let arrival = proposal.arrival
        operation.resumed = (
            Arrival(origin: arrival.origin, by: arrival.by, delayer: delayer), action,
            min(duration, Environment.longestSleep)
        )
        let cause = Cause(
            version: proposal.version, origin: arrival.origin, after: arrival.cause,
            in: arrival.chain)
        let effect = Effect(name: name, overlap: .latest, operation: operation)
        delayed.append((effect, cause, replacedCount))
        proposal.delayed = delayed
    }

    // MARK: After the reducer

    /// The state behind one of several entries, of which the last one's is kept: made once more where
    /// reactions see it.
    func state(behind index: Int, of group: Proposal<State, Action>, on committed: State) -> State {
        guard hasReactions else { return committed }
        step.resume(group.entries[index])
        var state = committed
        do throws(Rejection) {
            try reducer(&state, group.actions[index], step)
        } catch {
            return committed
        }
        return state
    }

    /// Shows a step to all reactions, and starts their effects, but for a replay's. A state that was
    /// set by hand is no step.
    func react(
        to index: Int, of group: Proposal<State, Action>, _ old: State, _ new: State,
        as cause: Cause
    ) {
        guard group.actions.count > 0 else { return }
        let entry = group.entries[index]
        let step = Transition(
            old: old, new: new, action: group.actions[index], version: entry.version,
            origin: entry.origin, by: entry.by, at: entry.at, cause: entry.cause,
            changed: entry.changed)
        let list = middleware
        for place in 0..<list.count where list[place].isEnabled {
            guard let effects = list[place].effectsAfter?(step), entry.origin != .replay
            else { continue }
            for index in 0..<effects.count { consequences.start(effects[index], causedBy: cause) }
        }
    }
}
