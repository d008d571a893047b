import Synchronization

/// A clock that stands still until a test moves it.
final class ScriptedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Time {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: (until: Instant, continuation: Sleep)] = [:]
        var lastID: UInt64 = 0
    }

    private typealias Sleep = CheckedContinuation<Void, any Error>

    private let time = Mutex(Time())
    /// How often somebody began to sleep.
    let sleeps = Count()

    var now: Instant { time.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = time.withLock { time in
            time.lastID += 1
            return time.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = time.withLock { time in
                    guard deadline > time.now, !Task.isCancelled else { return true }
                    time.sleepers[id] = (deadline, continuation)
                    return false
                }
                if isOver { continuation.resume() }
                sleeps.add()
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = time.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the time, and wakes whose time has come.
    func advance(by duration: Duration) {
        let woken = time.withLock { time in
            time.now = time.now.advanced(by: duration)
            let now = time.now
            let woken = time.sleepers.filter { $0.value.until <= now }
            for id in woken.keys { time.sleepers[id] = nil }
            return woken.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
