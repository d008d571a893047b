import Redux
import StateCoding
public import Testing

extension TestStore where State: Codable {
    /// Ends the process and begins another one with the state as it was kept: it goes through JSON,
    /// and all work that it wants starts anew. What ran is cancelled; effects are lost. The
    /// options may refuse the state, which is a failure.
    ///
    ///     store.restart()
    ///
    /// Work has the key of before, and versions, ids and the clock go on. A `Secret` in the state is
    /// not written, and reads `<redacted>` afterwards.
    ///
    /// - Parameter setback: the wall clock is set back by so much meanwhile, and steps go on.
    public func restart(
        settingClockBackBy setback: Duration = .zero,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        settle(sourceLocation)
        do {
            let kept = try TestJSON.copy(of: store.state)
            if try !TestJSON.isSame(kept, as: store.state) {
                fail("The state is another one once it has been through JSON.", sourceLocation)
            }
            try validate?(kept)
            progress.restart(from: store.state, as: kept)
            stage = stage.restarted(with: kept, settingClockBackBy: setback)
            store.startWork()
            settle(sourceLocation)
        } catch {
            fail("The state does not survive a restart: \(error)", sourceLocation)
        }
    }
}
