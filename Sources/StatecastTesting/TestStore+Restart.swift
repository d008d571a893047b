import Redux
import StateCoding
public import Testing

extension TestStore where State: Codable {
    /// Ends the process and begins another one with the state as it was kept: it goes through JSON,
    /// and all work that it wants starts anew. What ran is cancelled; effects are lost.
    ///
    ///     store.restart()
    ///     posts.succeed("id-1", with: Done())
    ///     store.receive(.posted(id: "id-1", answer: .value(Done()))) { … }
    ///
    /// Work has the key of before, and versions, ids and the clock go on. A `Secret` in the state is
    /// not written, and reads `<redacted>` afterwards.
    public func restart(sourceLocation: SourceLocation = #_sourceLocation) {
        settle(sourceLocation)
        do {
            let kept = try TestJSON.copy(of: store.state)
            if try !TestJSON.isSame(kept, as: store.state) {
                fail("The state is another one once it has been through JSON.", sourceLocation)
            }
            progress.restart(from: store.state, as: kept)
            stage = stage.restarted(with: kept)
            store.startWork()
            settle(sourceLocation)
        } catch {
            fail("The state does not survive a restart: \(error)", sourceLocation)
        }
    }
}
