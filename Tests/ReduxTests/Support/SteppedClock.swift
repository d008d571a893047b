import Synchronization

/// A clock that stands still until a test moves it.
final class SteppedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Time {
        var now = Instant()
        var sleepers: [(id: UInt64, until: Instant, sleep: Sleep)] = []
        var lastID: UInt64 = 0
    }

    private typealias Sleep = CheckedContinuation<Void, any Error>

    private let time = Mutex(Time())

    var now: Instant { time.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// How many sleep at present.
    var sleeperCount: Int { time.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = time.withLock { time in
            time.lastID += 1
            return time.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = time.withLock { time in
                    guard deadline > time.now, !Task.isCancelled else { return true }
                    time.sleepers.append((id, deadline, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = time.withLock { time in
                time.sleepers.firstIndex { $0.id == id }.map { time.sleepers.remove(at: $0) }
            }
            sleeper?.sleep.resume(throwing: CancellationError())
        }
    }

    /// Moves the time, and wakes whose time has come, the earliest first.
    func advance(by duration: Duration) {
        let woken = time.withLock { time in
            time.now = time.now.advanced(by: duration)
            let now = time.now
            let woken = time.sleepers.filter { $0.until <= now }
            time.sleepers.removeAll { $0.until <= now }
            return woken.sorted { ($0.until, $0.id) < ($1.until, $1.id) }
        }
        for sleeper in woken { sleeper.sleep.resume() }
    }
}
