public import Statecast

/// A stream of states, or of parts or views of them, as values.
///
///     let watcher = try session.watch()
///     let state = try watcher.first(within: .seconds(2)) { $0.rides.count == 1 }
public final class TestWatcher<Value: Decodable> {
    package let events: TestEvents
    /// The version token of the latest value, which is its `ETag` as well.
    package private(set) var token: String?

    init(_ events: TestEvents) {
        self.events = events
    }

    /// Reads the next value, or that the part has left the state; nil at the end of the stream.
    public func next(
        within patience: Duration = TestEvents.patience
    ) throws(TestFailure) -> ScopedState<Value>? {
        let event: TestEvent?
        do throws(TestFailure) {
            event = try events.next(within: patience) {
                ["message", "out-of-scope"].contains($0.name)
            }
        } catch {
            guard case .timedOut = error else { throw error }
            throw .timedOut(after: patience, latest: "of token \(token ?? "none")")
        }
        guard let event else { return nil }
        token = event.id
        return event.name == "message" ? .inScope(try TestAnswer.decode(event.data)) : .outOfScope
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
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            let next: ScopedState<Value>?
            do throws(TestFailure) {
                guard rest > .zero else { throw .timedOut(after: patience, latest: latest) }
                next = try self.next(within: rest)
            } catch {
                guard case .timedOut = error else { throw error }
                throw .timedOut(after: patience, latest: latest)
            }
            guard let next else { throw .ended(latest: latest) }
            latest = "\(next)"
            if case .inScope(let value) = next, isWanted(value) { return value }
        }
    }
}
