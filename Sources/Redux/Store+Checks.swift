extension Store {
    /// Runs the reducer, under the checks if there are any.
    func runReducer(_ state: inout State, _ action: Action) throws(Rejection) {
        guard let checks else { return try reducer.reduce(&state, action) }
        let before = state
        let elapsed = environment.clock.timeSinceNow()
        let result = reduce(&state, action)
        let duration = elapsed()
        if let budget = checks.timeBudget, duration > budget {
            diagnose(
                .slowReduction(
                    version: headVersion + 1, action: Self.describe(action), duration: duration,
                    budget: budget))
        }
        if checks.repeatsReductions { compareRepetition(of: action, on: before, state, result) }
        guard result == nil else { return try result.throwIfPresent() }
        measure(state, checks)
    }

    /// The rejection, if it is one.
    private func reduce(_ state: inout State, _ action: Action) -> Rejection? {
        do throws(Rejection) {
            try reducer.reduce(&state, action)
            return nil
        } catch {
            return error
        }
    }

    private func compareRepetition(
        of action: Action, on before: State, _ first: State, _ result: Rejection?
    ) {
        var second = before
        let repeated = reduce(&second, action)
        let differences: [String]
        if result != repeated {
            differences = ["\(Self.describe(result)) → \(Self.describe(repeated))"]
        } else if result == nil, first != second {
            let lines = StateDiff.lines(first, second, limit: 10)
            let isShown = lines.contains { !$0.hasSuffix(StateComparison.notShown) }
            let isSound = first == first
            differences = isShown || isSound ? lines : ["the state does not equal itself"]
        } else {
            return
        }
        diagnose(
            .impureReduction(
                version: headVersion + 1, action: Self.describe(action), differences: differences))
    }

    private func measure(_ state: State, _ checks: ReductionChecks<State>) {
        guard let budget = checks.sizeBudget else { return }
        let byteCount = checks.byteCount(state, budget)
        defer { hasLargeState = byteCount > budget }
        guard byteCount > budget, !hasLargeState else { return }
        diagnose(
            .largeState(version: headVersion + 1, byteCount: byteCount, budget: budget))
    }

    private static func describe(_ action: Action) -> String {
        StateDiff.escaped(StateDiff.shortened(String(describing: action)))
    }

    private static func describe(_ result: Rejection?) -> String {
        result.map { "rejected with \($0.code)" } ?? "accepted"
    }
}
