public import Redux
public import Testing

extension TestStore {
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

    /// Takes a notice of the store: an effect failed, its report was rejected, a chain was cut.
    ///
    ///     store.receive(.effectFailed(name: "load", error: "timed out after 3.0 seconds"))
    public func receive(
        diagnostic: StoreDiagnostic, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        settle(sourceLocation)
        guard !record.take(diagnostic) else { return }
        let others = record.takeDiagnostics().map(String.init(describing:))
        fail(
            "Expected to be told of \(diagnostic), and was "
                + (others.isEmpty ? "told nothing." : "told:" + Self.list(others)), sourceLocation)
    }

    /// Takes everything that was received so far without looking at it.
    public func skipReceived(sourceLocation: SourceLocation = #_sourceLocation) {
        settle(sourceLocation)
        state = record.takeSteps(record.steps.count) ?? state
        _ = record.takeDiagnostics()
    }

    func receive(
        _ name: String, matching isWanted: (Action) -> Bool,
        difference: (Action) -> [String], _ sourceLocation: SourceLocation,
        _ change: (inout State) throws -> Void
    ) {
        settle(sourceLocation)
        let steps = record.steps
        guard let first = steps.first else {
            return fail("Expected to receive \(name), and nothing came. \(outlook)", sourceLocation)
        }
        if exhaustivity == .nonExhaustive {
            guard let index = steps.firstIndex(where: { isWanted($0.action) }) else {
                let others = Self.list(steps.map { describe($0.action) })
                return fail(
                    "Expected to receive \(name), and received only:\(others)", sourceLocation)
            }
            state = record.takeSteps(index) ?? state
        } else if !isWanted(first.action) {
            fail(
                "Expected to receive \(name), and received \(describe(first.action))"
                    + Self.list(difference(first.action)), sourceLocation)
            state = record.takeSteps(1) ?? state
            return
        }
        let step = record.steps[0]
        record.takeSteps(1)
        expect(step.new, after: describe(step.action), sourceLocation, change)
    }

    /// What may still come.
    private var outlook: String {
        let wake = clock.timeToNextWake.map { "the next wake is in \($0)" } ?? "nobody sleeps"
        return "Running: \(runningNames); \(wake)."
    }

    /// Says what the test has left open so far, and goes on from there.
    func closePreceding(_ event: String, _ sourceLocation: SourceLocation) {
        settle(sourceLocation)
        let steps = record.steps
        let diagnostics = record.takeDiagnostics()
        state = record.takeSteps(steps.count) ?? state
        guard exhaustivity == .exhaustive else { return }
        if !steps.isEmpty {
            fail(
                "Before \(event), this was to be received:"
                    + Self.list(steps.map { describe($0.action) }), sourceLocation)
        }
        if !diagnostics.isEmpty {
            fail(
                "Before \(event), the store told what the test did not expect:"
                    + Self.list(diagnostics.map(String.init(describing:))), sourceLocation)
        }
    }
}
