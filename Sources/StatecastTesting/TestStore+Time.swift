public import Redux
public import Testing

extension TestStore {
    /// The time of day, as steps are told it.
    public var time: Timestamp { stage.time }

    /// Moves the clock, and does on the way everything that effects wait for, in its order.
    ///
    /// The store reduces their reports at the time of each; the steps wait for `receive`.
    public func advance(
        by duration: Duration = .zero, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        clock.advance(by: duration) { settle(sourceLocation) }
    }

    /// Moves the clock from wake to wake until no effect sleeps; fails after so many wakes.
    public func run(
        atMost wakes: Int = 1_000, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard !clock.run(atMost: wakes, settle: { settle(sourceLocation) }) else { return }
        fail("Effects still sleep after \(wakes) wakes: \(stage.unfinished)", sourceLocation)
    }

    /// Ends the session: cancels every effect, as when its clients have gone for good.
    package func cancelEffects(sourceLocation: SourceLocation = #_sourceLocation) {
        settle(sourceLocation)
        store.cancelAllEffects()
        settle(sourceLocation)
    }

    /// Ends the test: in an exhaustive one everything is received, and no effect runs.
    ///
    /// The store finishes when it is deinitialized, unless the test has called this before. Its
    /// failures then stand at the line that made the store.
    public func finish(sourceLocation: SourceLocation = #_sourceLocation) {
        guard !isFinished else { return }
        closePreceding("the test ends", sourceLocation)
        isFinished = true
        if exhaustivity == .exhaustive, !stage.unfinishedNames.isEmpty {
            fail("When the test ends, work still runs: \(stage.unfinished)", sourceLocation)
        }
        cancelEffects(sourceLocation: sourceLocation)
    }
}
