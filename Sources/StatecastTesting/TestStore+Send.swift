public import Redux
public import Testing

extension TestStore {
    /// Dispatches an action as a client does, and compares what it changes with what the closure
    /// changes: nothing, where there is none.
    ///
    ///     store.send(.incremented(by: 2)) { $0.count = 2 }
    ///
    /// In exhaustive tests the closure gets the state before and has to make of it the whole state
    /// after; otherwise it gets the state after, and must not change it.
    ///
    /// - Returns: what became of the action: dropped and delayed ones change nothing.
    @discardableResult
    public func send(
        _ action: Action, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> Outcome {
        let name = describe(action)
        closePreceding("\(name) is sent", sourceLocation)
        let outcome = store.dispatch(action)
        if case .rejected(let rejection) = outcome {
            fail("\(name) was rejected as \(describe(rejection))", sourceLocation)
        }
        let after = takeOwnSteps(of: outcome)
        settle(sourceLocation)
        expect(after ?? state, after: name, sourceLocation, change)
        return outcome
    }

    /// Dispatches an action that is to be rejected, by the reducer or a middleware.
    ///
    ///     store.send(.commentPosted(text: " "), rejectedAs: "empty-comment")
    public func send(
        _ action: Action, rejectedAs code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let name = describe(action)
        closePreceding("\(name) is sent", sourceLocation)
        let outcome = store.dispatch(action)
        state = takeOwnSteps(of: outcome) ?? state
        settle(sourceLocation)
        switch outcome {
        case .rejected(let rejection) where rejection.code == code: break
        case .rejected(let rejection):
            fail(
                "\(name) was to be rejected as \"\(code)\", and was as \(describe(rejection))",
                sourceLocation)
        case .accepted, .dropped, .delayed, .queued, .refused:
            fail("\(name) was to be rejected as \"\(code)\", and was \(outcome)", sourceLocation)
        }
    }

    /// Dispatches a batch, all of it or nothing, and compares what it changes as a whole.
    @discardableResult
    public func send(
        batch actions: [Action], sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> BatchOutcome {
        let name = "The batch of \(actions.count)"
        closePreceding("\(name.lowercased()) is sent", sourceLocation)
        let outcome = store.dispatch(batch: actions)
        var after: State?
        switch outcome {
        case .accepted(let outcomes):
            for outcome in outcomes { after = takeOwnSteps(of: outcome) ?? after }
        case .rejected(let index, let rejection):
            fail("\(name) was rejected at \(index) as \(describe(rejection))", sourceLocation)
        case .refused: preconditionFailure("A test's store has no journal that could refuse.")
        }
        settle(sourceLocation)
        expect(after ?? state, after: name, sourceLocation, change)
        return outcome
    }

    /// Dispatches a batch of which one action is to be rejected, and so all of them.
    public func send(
        batch actions: [Action], rejectedAs code: String, at index: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        closePreceding("the batch of \(actions.count) is sent", sourceLocation)
        let outcome = store.dispatch(batch: actions)
        settle(sourceLocation)
        if case .rejected(index, let rejection) = outcome, rejection.code == code { return }
        if case .accepted(let outcomes) = outcome {
            for outcome in outcomes { state = takeOwnSteps(of: outcome) ?? state }
        }
        fail(
            "The batch was to be rejected at \(index) as \"\(code)\", and was \(outcome)",
            sourceLocation)
    }

    /// The state after the entries that an action became; nil where it became none.
    private func takeOwnSteps(of outcome: Outcome) -> State? {
        guard case .accepted(_, let last, _) = outcome else { return nil }
        return record.takeSteps(record.steps.count { $0.version <= last })
    }

    /// Compares a state with what the closure makes of the one before, and goes on from it.
    func expect(
        _ after: State, after name: String, _ sourceLocation: SourceLocation,
        _ change: (inout State) throws -> Void
    ) {
        var expected = exhaustivity == .exhaustive ? state : after
        state = after
        do {
            try change(&expected)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        guard expected != after else { return }
        fail(
            "The state after \(name) is not the expected one (expected → actual):"
                + Self.list(StateDiff.lines(expected, after)), sourceLocation)
    }

    func describe(_ action: Action) -> String {
        let text = String(describing: action)
        return text.count > 300 ? text.prefix(300) + "…" : text
    }

    func describe(_ rejection: Rejection) -> String {
        "\"\(rejection.code)\": \(rejection.message)"
    }

    static func list(_ lines: [String]) -> String {
        lines.map { "\n    \($0)" }.joined()
    }
}
