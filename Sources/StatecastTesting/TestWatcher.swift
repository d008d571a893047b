import Sockets
import StateCoding
public import Statecast

/// A stream of states, or of parts or views of them, as values.
///
///     let watcher = try session.watch()
///     let state = try watcher.first(within: .seconds(2)) { $0.rides.count == 1 }
public final class TestWatcher<Value: Decodable> {
    /// The stream.
    public let events: TestEvents
    /// The version token of the latest value, which is its `ETag` as well.
    public private(set) var token: String?

    init(_ events: TestEvents) {
        self.events = events
    }

    /// The next value, or that the part has left the state; nil at the end of the stream.
    public func next(
        within patience: Duration = TestEvents.patience
    ) throws -> ScopedState<Value>? {
        let event: TestEvent?
        do throws(SystemError) {
            event = try events.next(within: patience) {
                ["message", "out-of-scope"].contains($0.name)
            }
        } catch {
            guard error.code == .timedOut else { throw error }
            throw TestFailure.timedOut(after: patience, latest: "of token \(token ?? "none")")
        }
        guard let event else { return nil }
        token = event.id
        return event.name == "message" ? .inScope(try Self.decode(event.data)) : .outOfScope
    }

    /// The first value as wanted, from the next one on; what comes before it is passed over.
    ///
    /// Throws when it does not come in time, or the stream ends, and says what came last.
    @discardableResult
    public func first(
        within patience: Duration = TestEvents.patience, where isWanted: (Value) -> Bool
    ) throws -> Value {
        let deadline = ContinuousClock.now + patience
        var latest = "none"
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            let next: ScopedState<Value>?
            do {
                guard rest > .zero else {
                    throw TestFailure.timedOut(after: patience, latest: latest)
                }
                next = try self.next(within: rest)
            } catch TestFailure.timedOut {
                throw TestFailure.timedOut(after: patience, latest: latest)
            }
            guard let next else { throw TestFailure.ended(latest: latest) }
            latest = "\(next)"
            if case .inScope(let value) = next, isWanted(value) { return value }
        }
    }

    static func decode(_ text: String) throws -> Value {
        let bytes = Array(text.utf8)
        do {
            return try StateDecoder().decode(Value.self, from: bytes.span)
        } catch {
            throw TestFailure.undecodable(text, reason: "\(error)")
        }
    }
}
