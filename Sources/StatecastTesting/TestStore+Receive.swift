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
            TestProgress<State, Action>.describe(action), matching: { $0 == action },
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
        if let failure = progress.receive(diagnostic) { fail(failure, sourceLocation) }
    }

    /// Takes everything that was received so far without looking at it.
    public func skipReceived(sourceLocation: SourceLocation = #_sourceLocation) {
        settle(sourceLocation)
        progress.skipAll()
    }

    func receive(
        _ name: String, matching isWanted: (Action) -> Bool,
        difference: (Action) -> [String], _ sourceLocation: SourceLocation,
        _ change: (inout State) throws -> Void
    ) {
        settle(sourceLocation)
        guard progress.hasSteps else {
            return fail("Expected to receive \(name), and nothing came. \(outlook)", sourceLocation)
        }
        let index = progress.firstIndex(where: isWanted)
        switch progress.receive(name, at: index, difference: difference) {
        case .step(let step): compare(step, sourceLocation, change)
        case .failure(let text): fail(text, sourceLocation)
        }
    }

    /// The effects that may still report, and the time of the next one.
    private var outlook: String {
        let wake = clock.timeToNextWake.map { "the next wake is in \($0)" } ?? "nobody sleeps"
        return "Running: \(stage.unfinished); \(wake)."
    }
}
