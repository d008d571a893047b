/// A pure function from state, action and step to the next state, or to a rejection.
///
/// Pure: the same state, action and step always give the same result, and nothing else happens;
/// time, ids and chance come with the step. Total: it rejects, it never traps. Where it throws, what
/// it changed is thrown away.
///
/// A feature's reducer is called by its parent's, on its part of the state and with the same step.
public typealias Reducer<State, Action> =
    @Sendable (_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) -> Void

/// Runs a reducer, and compares what it makes of a state: the only caller of a store's reducer.
@usableFromInline
struct Reduction<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline let reducer: Reducer<State, Action>
    /// The step of the store, which stands for the action that is being reduced.
    @usableFromInline let step: Step

    @inlinable
    init(_ reducer: @escaping Reducer<State, Action>, _ step: Step) {
        self.reducer = reducer
        self.step = step
    }

    /// Changes a state, and tells whether it differs; where the action is rejected, the state is to
    /// be thrown away.
    @inlinable @inline(__always)
    func run(_ state: inout State, _ action: Action) throws(Rejection) -> Bool {
        let old = state
        try reducer(&state, action, step)
        return state != old
    }

    /// Makes the state behind an accepted entry once more.
    func rerun(_ pending: PendingEntry<State, Action>, on old: State) -> State {
        guard let action = pending.entry.action else { return pending.state }
        var state = old
        step.resume(pending.entry)
        do throws(Rejection) {
            try reducer(&state, action, step)
            return state
        } catch {
            return old
        }
    }
}

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
    /// The size of a state. May stop counting beyond the limit, its second argument.
    public var byteCount: @Sendable (State, Int) -> Int

    /// Checks with budgets that an ordinary session stays far below.
    public init(
        repeatsReductions: Bool = true, timeBudget: Duration? = .milliseconds(10),
        sizeBudget: Int? = 1 << 20,
        byteCount: @escaping @Sendable (State, Int) -> Int = StateSize.byteCount
    ) {
        self.repeatsReductions = repeatsReductions
        self.timeBudget = timeBudget
        self.sizeBudget = sizeBudget
        self.byteCount = byteCount
    }
}

/// Runs reductions under the checks of an application that is being developed, and tells of what
/// they find.
final class ReductionInspector<State: Sendable & Equatable, Action: Sendable> {
    private typealias Attempt = Result<State, Rejection>

    let checks: ReductionChecks<State>
    private let reduction: Reduction<State, Action>
    private let clock: any Clock<Duration>
    /// The state was beyond its budget after the last reduction.
    private var hasLargeState = false

    init(
        _ checks: ReductionChecks<State>, _ reduction: Reduction<State, Action>,
        clock: any Clock<Duration>
    ) {
        self.checks = checks
        self.reduction = reduction
        self.clock = clock
    }

    /// Runs one reduction.
    ///
    /// - Parameters:
    ///   - version: the number that its entry will have.
    ///   - diagnose: is told of the findings.
    func run(
        _ state: inout State, _ action: Action, version: UInt64,
        diagnose: (StoreDiagnostic) -> Void
    ) throws(Rejection) -> Bool {
        let old = state
        let elapsed = clock.timeSinceNow()
        let result = attempt(action, on: old)
        let duration = elapsed()
        if let budget = checks.timeBudget, duration > budget {
            diagnose(
                .slowReduction(
                    version: version, action: Self.describe(action), duration: duration,
                    budget: budget))
        }
        if checks.repeatsReductions {
            reduction.step.rewind()
            let differences = differences(of: result, from: attempt(action, on: old))
            if !differences.isEmpty {
                diagnose(
                    .impureReduction(
                        version: version, action: Self.describe(action), differences: differences))
            }
        }
        state = try result.get()
        if let diagnostic = measure(state, version) { diagnose(diagnostic) }
        return state != old
    }

    private func attempt(_ action: Action, on old: State) -> Attempt {
        var state = old
        do throws(Rejection) {
            _ = try reduction.run(&state, action)
            return .success(state)
        } catch {
            return .failure(error)
        }
    }

    /// The differences between two runs of one reduction; none of a pure reducer.
    private func differences(of first: Attempt, from second: Attempt) -> [String] {
        switch (first, second) {
        case (.success(let first), .success(let second)):
            guard first != second else { return [] }
            let lines = StateDiff.lines(first, second, limit: 10)
            let isShown = lines.contains { !$0.hasSuffix(StateComparison.notShown) }
            let isSound = first == first
            return isShown || isSound ? lines : ["the state does not equal itself"]
        case (.failure(let first), .failure(let second)) where first == second: return []
        default: return ["\(Self.describe(first)) → \(Self.describe(second))"]
        }
    }

    private func measure(_ state: State, _ version: UInt64) -> StoreDiagnostic? {
        guard let budget = checks.sizeBudget else { return nil }
        let byteCount = checks.byteCount(state, budget)
        let wasLarge = hasLargeState
        hasLargeState = byteCount > budget
        guard hasLargeState, !wasLarge else { return nil }
        return .largeState(version: version, byteCount: byteCount, budget: budget)
    }

    private static func describe(_ action: Action) -> String {
        StateDiff.escaped(StateDiff.shortened(String(describing: action)))
    }

    private static func describe(_ result: Attempt) -> String {
        switch result {
        case .success: "accepted"
        case .failure(let rejection): "rejected with \(rejection.code)"
        }
    }
}
