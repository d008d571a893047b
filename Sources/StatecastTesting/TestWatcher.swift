import ClientWire
public import Statecast

/// A stream of states, or of parts or views of them, as values.
///
///     let watcher = try session.watch()
///     let state = try watcher.first(within: .seconds(2)) { $0.rides.count == 1 }
public final class TestWatcher<Value: Decodable> {
    package let events: TestEvents
    private var document = ClientDocument()
    /// The version token of the latest value, which is its `ETag` as well.
    package var token: String? { document.token }

    init(_ events: TestEvents) {
        self.events = events
    }

    /// Reads the next value, or that the part has left the state; nil at the end of the stream.
    public func next(
        within patience: Duration = TestEvents.patience
    ) throws(TestFailure) -> ScopedState<Value>? {
        try next(before: .now + patience, latest: "of token \(token ?? "none")", patience)
    }

    /// Reads values until one is as wanted.
    ///
    /// Throws where it does not come in time or the stream ends; the failure names the last value.
    @discardableResult
    public func first(
        within patience: Duration = TestEvents.patience, where isWanted: (Value) -> Bool
    ) throws(TestFailure) -> Value {
        let deadline = ContinuousClock.now + patience
        var latest = "none"
        while let next = try next(before: deadline, latest: latest, patience) {
            latest = "\(next)"
            if case .inScope(let value) = next, isWanted(value) { return value }
        }
        throw .ended(latest: latest)
    }

    private func next(
        before deadline: ContinuousClock.Instant, latest: String, _ patience: Duration
    ) throws(TestFailure) -> ScopedState<Value>? {
        while let event = try events.next(before: deadline, patience, latest: latest) {
            guard .now < deadline else { throw .timedOut(after: patience, latest: latest) }
            switch try shown(by: event) {
            case .changed: return .inScope(try TestAnswer.decode(document.json ?? []))
            case .outOfScope: return .outOfScope
            case .none: break
            }
        }
        return nil
    }

    private func shown(by event: TestEvent) throws(TestFailure) -> ClientDocument.Change {
        do throws(ClientDocument.Failure) {
            return try document.apply(event.name, event.data, id: event.id)
        } catch {
            throw .undecodable(event.data, reason: "\(error)")
        }
    }
}
