public import Redux
public import Testing

extension TestStore {
    // MARK: Sending

    /// Dispatches an action as a client does, and compares what it changes with what the closure
    /// changes: nothing, where there is none.
    ///
    ///     store.send(.incremented(by: 2)) { $0.count = 2 }
    ///
    /// In exhaustive tests the closure gets the state before and has to make of it the whole state
    /// after; otherwise it gets the state after, and must not change it.
    ///
    /// - Returns: the outcome of the action: dropped and delayed ones change nothing.
    @discardableResult
    public func send(
        _ action: Action, as principal: Principal? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> Outcome {
        dispatch(action, .client, principal, sourceLocation, change)
    }

    /// Dispatches an action as the server does: what an alarm, a handle or a session fact says.
    ///
    ///     store.report(.clock(.ranOut(player: "alice"))) { $0.turn?.player = "bob" }
    @discardableResult
    public func report(
        _ action: Action, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> Outcome {
        dispatch(action, .server, nil, sourceLocation, change)
    }

    private func dispatch(
        _ action: Action, _ origin: Origin, _ principal: Principal?,
        _ sourceLocation: SourceLocation, _ change: (inout State) throws -> Void
    ) -> Outcome {
        let name = describe(action)
        closePreceding("\(name) is sent", sourceLocation)
        let outcome = decide(action, origin, principal)
        if case .rejected(let rejection) = outcome {
            fail("\(name) was rejected as \(text(of: rejection))", sourceLocation)
        }
        settle(sourceLocation)
        compare(with: takeSteps(of: [outcome]), after: name, sourceLocation, change)
        return outcome
    }

    /// Dispatches an action that is to be rejected, by the reducer or a middleware.
    ///
    ///     store.send(.commentPosted(text: " "), rejectedAs: "empty-comment", field: "text")
    ///
    /// - Parameter field: the place in the payload that is wrong; nil: it does not matter.
    public func send(
        _ action: Action, as principal: Principal? = nil, rejectedAs code: String,
        field: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let name = describe(action)
        closePreceding("\(name) is sent", sourceLocation)
        let outcome = decide(action, .client, principal)
        settle(sourceLocation)
        state = takeSteps(of: [outcome])
        let expectation = "\(name) was to be rejected as \"\(code)\", and was"
        guard case .rejected(let rejection) = outcome else {
            return fail("\(expectation) \(outcome)", sourceLocation)
        }
        let found = text(of: rejection)
        guard rejection.code == code else {
            return fail("\(expectation) as \(found)", sourceLocation)
        }
        let fields = rejection.faults.filter { $0.code == code }.map(\.field)
        if let field, !fields.contains(field) {
            fail(
                "\(name) was to be rejected for its field \(field), and was as \(found)",
                sourceLocation)
        }
    }

    private func decide(_ action: Action, _ origin: Origin, _ principal: Principal?) -> Outcome {
        guard origin == .client else { return store.dispatch(action, origin: origin) }
        let principal = principal ?? self.principal
        return limit?([action], principal).map { .rejected($0) }
            ?? store.dispatch(action, as: principal)
    }

    /// Dispatches a batch, all of it or nothing, and compares what it changes as a whole.
    @discardableResult
    public func send(
        batch actions: [Action], as principal: Principal? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> BatchOutcome {
        let name = "The batch of \(actions.count)"
        let (outcome, end) = dispatch(batch: actions, principal, sourceLocation)
        if case .rejected(let index, let rejection) = outcome {
            fail("\(name) was rejected at \(index) as \(text(of: rejection))", sourceLocation)
        }
        compare(with: end, after: name, sourceLocation, change)
        return outcome
    }

    /// Dispatches a batch of which one action is to be rejected, and so all of them.
    public func send(
        batch actions: [Action], as principal: Principal? = nil, rejectedAs code: String,
        at index: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (outcome, end) = dispatch(batch: actions, principal, sourceLocation)
        state = end
        if case .rejected(index, let rejection) = outcome, rejection.code == code { return }
        fail(
            "The batch was to be rejected at \(index) as \"\(code)\", and was \(outcome)",
            sourceLocation)
    }

    /// The outcome of a batch, and the state after it.
    private func dispatch(
        batch actions: [Action], _ principal: Principal?, _ sourceLocation: SourceLocation
    ) -> (BatchOutcome, State) {
        closePreceding("the batch of \(actions.count) is sent", sourceLocation)
        let principal = principal ?? self.principal
        let outcome =
            limit?(actions, principal).map { .rejected(index: 0, $0) }
            ?? store.dispatch(batch: actions, as: principal)
        settle(sourceLocation)
        switch outcome {
        case .accepted(let outcomes): return (outcome, takeSteps(of: outcomes))
        case .rejected: return (outcome, state)
        case .refused: preconditionFailure("A test's store has no journal that could refuse.")
        }
    }

    /// Takes the steps that actions of the test became, and answers with the state after them.
    private func takeSteps(of outcomes: [Outcome]) -> State {
        let version: UInt64 = outcomes.reduce(0) { version, outcome in
            if case .accepted(_, let last, _) = outcome { last } else { version }
        }
        let count = steps.count { $0.version <= version }
        defer { steps.removeFirst(count) }
        return count > 0 ? steps[count - 1].new : state
    }

    /// Ends what came before an event. Whatever waits to be received is skipped; an exhaustive test
    /// fails by it.
    func closePreceding(_ event: String, _ sourceLocation: SourceLocation) {
        settle(sourceLocation)
        let names = steps.map { describe($0.action) }
        let told = diagnostics.map(String.init(describing:))
        skipAll()
        guard exhaustivity == .exhaustive else { return }
        if !names.isEmpty {
            fail("Before \(event), this was to be received:" + list(names), sourceLocation)
        }
        if !told.isEmpty {
            fail(
                "Before \(event), the store told what the test did not expect:" + list(told),
                sourceLocation)
        }
    }

    // MARK: Receiving

    /// Takes the next action that an effect has reported or a middleware has dispatched, and
    /// compares what it changed with what the closure changes: nothing, where there is none.
    ///
    /// A test that is not exhaustive skips what comes before the action.
    public func receive(
        _ action: Action, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) where Action: Equatable {
        receive(
            describe(action), matching: { $0 == action },
            difference: { StateDiff.lines(action, $0) }, sourceLocation, change)
    }

    /// Takes the next action, which is to satisfy a condition: for actions that cannot be compared,
    /// or of which only a part is known.
    public func receive(
        where isWanted: (Action) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) {
        receive(
            "an action as wanted", matching: isWanted, difference: { _ in [] }, sourceLocation,
            change)
    }

    private func receive(
        _ name: String, matching isWanted: (Action) -> Bool,
        difference: (Action) -> [String], _ sourceLocation: SourceLocation,
        _ change: (inout State) throws -> Void
    ) {
        settle(sourceLocation)
        let expectation = "Expected to receive \(name), and"
        guard let first = steps.first else {
            let wake = clock.timeToNextWake.map { "the next wake is in \($0)" } ?? "nobody sleeps"
            return fail(
                "\(expectation) nothing came. Running: \(unfinished); \(wake).", sourceLocation)
        }
        let index = steps.firstIndex { isWanted($0.action) }
        if exhaustivity == .exhaustive, index != 0 {
            state = first.new
            steps.removeFirst()
            let text = describe(first.action) + list(difference(first.action))
            return fail("\(expectation) received \(text)", sourceLocation)
        }
        guard let index else {
            let others = list(steps.map { describe($0.action) })
            return fail("\(expectation) received only:\(others)", sourceLocation)
        }
        let step = steps[index]
        if index > 0 { state = steps[index - 1].new }
        steps.removeFirst(index + 1)
        compare(with: step.new, after: describe(step.action), sourceLocation, change)
    }

    /// Takes a notice of the store: an effect failed, its report was rejected, a chain was cut.
    ///
    ///     store.receive(.effectFailed(name: "load", error: "timed out after 3.0 seconds"))
    public func receive(
        diagnostic: StoreDiagnostic, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        settle(sourceLocation)
        if let index = diagnostics.firstIndex(of: diagnostic) {
            diagnostics.remove(at: index)
            return
        }
        let others = diagnostics.map(String.init(describing:))
        diagnostics = []
        let told = others.isEmpty ? "told nothing." : "told:" + list(others)
        fail("Expected to be told of \(diagnostic), and was \(told)", sourceLocation)
    }

    /// Takes everything that was received so far without looking at it.
    public func skipReceived(sourceLocation: SourceLocation = #_sourceLocation) {
        settle(sourceLocation)
        skipAll()
    }

    private func skipAll() {
        state = steps.last?.new ?? state
        (steps, diagnostics) = ([], [])
    }

    // MARK: Comparing

    /// Goes on to the state after a step, and compares it with what the closure makes of the state
    /// before: of the state after, in a test that is not exhaustive.
    private func compare(
        with end: State, after name: String, _ sourceLocation: SourceLocation,
        _ change: (inout State) throws -> Void
    ) {
        var expected = exhaustivity == .exhaustive ? state : end
        state = end
        do {
            try change(&expected)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        guard expected != end else { return }
        fail(
            "The state after \(name) is not the expected one (expected → actual):"
                + list(StateDiff.lines(expected, end)), sourceLocation)
    }

    private func text(of rejection: Rejection) -> String {
        "\"\(rejection.code)\": \(rejection.message)"
    }

    /// The text of an action, cut where it is long.
    private func describe(_ action: Action) -> String {
        let text = String(describing: action)
        return text.count > 300 ? text.prefix(300) + "…" : text
    }
}

/// Lines of an issue's text, each indented below the one before.
func list(_ lines: [String]) -> String {
    lines.map { "\n    \($0)" }.joined()
}
