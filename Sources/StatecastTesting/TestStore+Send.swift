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
    /// - Returns: the outcome of the action: dropped and delayed ones change nothing.
    @discardableResult
    public func send(
        _ action: Action, as principal: Principal? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> Outcome {
        dispatch(action, .client, principal ?? self.principal, sourceLocation, change)
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
        let name = TestProgress<State, Action>.describe(action)
        closePreceding("\(name) is sent", sourceLocation)
        let outcome = store.dispatch(action, origin: origin, as: principal)
        if case .rejected(let rejection) = outcome {
            fail("\(name) was rejected as \(ExpectedRejection.text(rejection))", sourceLocation)
        }
        settle(sourceLocation)
        compare(progress.take(upTo: last(of: [outcome]), after: name), sourceLocation, change)
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
        let name = TestProgress<State, Action>.describe(action)
        closePreceding("\(name) is sent", sourceLocation)
        let outcome = store.dispatch(action, as: principal ?? self.principal)
        settle(sourceLocation)
        _ = progress.take(upTo: last(of: [outcome]), after: name)
        let expected = ExpectedRejection(code: code, field: field)
        if let failure = expected.failure(of: outcome, of: name) { fail(failure, sourceLocation) }
    }

    /// Dispatches a batch, all of it or nothing, and compares what it changes as a whole.
    @discardableResult
    public func send(
        batch actions: [Action], as principal: Principal? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> BatchOutcome {
        let name = "The batch of \(actions.count)"
        closePreceding("\(name.lowercased()) is sent", sourceLocation)
        let outcome = store.dispatch(batch: actions, as: principal ?? self.principal)
        var version: UInt64?
        switch outcome {
        case .accepted(let outcomes): version = last(of: outcomes)
        case .rejected(let index, let rejection):
            let text = ExpectedRejection.text(rejection)
            fail("\(name) was rejected at \(index) as \(text)", sourceLocation)
        case .refused: preconditionFailure("A test's store has no journal that could refuse.")
        }
        settle(sourceLocation)
        compare(progress.take(upTo: version, after: name), sourceLocation, change)
        return outcome
    }

    /// Dispatches a batch of which one action is to be rejected, and so all of them.
    public func send(
        batch actions: [Action], as principal: Principal? = nil, rejectedAs code: String,
        at index: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let name = "The batch"
        closePreceding("the batch of \(actions.count) is sent", sourceLocation)
        let outcome = store.dispatch(batch: actions, as: principal ?? self.principal)
        settle(sourceLocation)
        if case .accepted(let outcomes) = outcome {
            _ = progress.take(upTo: last(of: outcomes), after: name)
        }
        let failure = ExpectedRejection(code: code).failure(of: outcome, at: index)
        if let failure { fail(failure, sourceLocation) }
    }

    /// The last version that actions became; nil where they became no entry.
    private func last(of outcomes: [Outcome]) -> UInt64? {
        outcomes.reduce(nil) { version, outcome in
            if case .accepted(_, let last, _) = outcome { last } else { version }
        }
    }

    /// Ends what came before an event, and goes on from there.
    func closePreceding(_ event: String, _ sourceLocation: SourceLocation) {
        settle(sourceLocation)
        for failure in progress.close(before: event) { fail(failure, sourceLocation) }
    }
}
