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
