/// A pure function from state, action and step to the next state, or to a rejection.
///
/// Pure: the same state, action and step always give the same result, and nothing else happens;
/// time, ids and chance come with the step. Total: it rejects, it never traps. Where it throws, what
/// it changed is thrown away.
///
/// A feature's reducer is called by its parent's, on its part of the state and with the same step.
public typealias Reducer<State, Action> =
    @Sendable (_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) -> Void

/// The checks of a reducer while an application is developed. They cost a second
/// reduction, two readings of the clock and a walk through the state for each action.
///
///     store.checks = ReductionChecks()
///     store.onDiagnostic = { print($0) }
///
/// What is found is told as a `StoreDiagnostic`; the action goes its way.
public struct ReductionChecks<State>: Sendable {
    /// Each reduction runs twice, on equal states and actions, and must do the same: no time, chance,
    /// id or order of a set has gone into it.
    public var repeatsReductions: Bool
    /// The time that a reduction may take, by the environment's clock; nil: for ever.
    public var timeBudget: Duration?
    /// The size that a changed state may have, in bytes as `byteCount` counts them; nil: any.
    public var sizeBudget: Int?
    /// Paths in the state whose values are told as `<redacted>`, as the logger hides them. With any, an
    /// action is told by the name of its case alone.
    public var hiding: Set<String>
    /// The size of a state. May stop counting beyond the limit, its second argument.
    public var byteCount: @Sendable (State, Int) -> Int

    /// Checks with budgets that an ordinary session stays far below.
    public init(
        repeatsReductions: Bool = true, timeBudget: Duration? = .milliseconds(10),
        sizeBudget: Int? = 1 << 20, hiding: Set<String> = [],
        byteCount: @escaping @Sendable (State, Int) -> Int = StateSize.byteCount
    ) {
        self.repeatsReductions = repeatsReductions
        self.timeBudget = timeBudget
        self.sizeBudget = sizeBudget
        self.hiding = hiding
        self.byteCount = byteCount
    }
}

extension Decider {
    /// Runs a reduction under checks, and tells of what they find.
    func reduce(
        _ state: inout State, _ action: Action, _ checks: ReductionChecks<State>
    ) throws(Rejection) {
        let old = state
        let elapsed = environment.clock.timeSinceNow()
        let result = attempt(action, on: old)
        let duration = elapsed()
        if let budget = checks.timeBudget, duration > budget {
            consequences.diagnose(
                .slowReduction(
                    version: step.version, action: Self.describe(action, checks),
                    duration: duration,
                    budget: budget))
        }
        if checks.repeatsReductions {
            step.rewind()
            let differences = Self.differences(
                of: result, from: attempt(action, on: old), hiding: checks.hiding)
            if !differences.isEmpty {
                consequences.diagnose(
                    .impureReduction(
                        version: step.version, action: Self.describe(action, checks),
                        differences: differences))
            }
        }
        state = try result.get()
        measure(state, checks)
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

    /// The differences between two runs of one reduction; none of a pure reducer.
    private static func differences(
        of first: Result<State, Rejection>, from second: Result<State, Rejection>,
        hiding hidden: Set<String>
    ) -> [String] {
        switch (first, second) {
        case (.success(let first), .success(let second)):
            guard first != second else { return [] }
            let lines = StateDiff.lines(first, second, limit: 10, hiding: hidden)
            let isShown = lines.contains { !$0.hasSuffix(StateDiff.notShown) }
            let isSound = first == first
            return isShown || isSound ? lines : ["the state does not equal itself"]
        case (.failure(let first), .failure(let second)) where first == second: return []
        default: return ["\(outcome(of: first)) → \(outcome(of: second))"]
        }
    }

    private static func describe(_ action: Action, _ checks: ReductionChecks<State>) -> String {
        if !checks.hiding.isEmpty, let name = Mirror(reflecting: action).children.first?.label {
            return name
        }
        return StateDiff.escaped(StateDiff.shortened(String(describing: action)))
    }

    private static func outcome(of result: Result<State, Rejection>) -> String {
        switch result {
        case .success: "accepted"
        case .failure(let rejection): "rejected with \(rejection.code)"
        }
    }
}
