public import Redux
import Sockets

/// A clock that stands still until a test moves it.
///
///     let clock = ManualClock()
///     let environment = clock.environment()   // for a store; TestStore has one of its own
///     …
///     clock.advance(by: .milliseconds(500))
///
/// Sleepers wake in the order of their deadlines, those with the same one in the order in which
/// they went to sleep, and the clock shows the deadline meanwhile. The work that a wake starts
/// runs before the next sleeper wakes: what goes to sleep again within the time wakes within it. A cancelled sleep throws at once.
///
/// Everything happens inside of `advance` and `run`, on the thread that calls them: nothing is
/// waited for, and nothing depends on the machine.
public final class ManualClock: Clock, Sendable {
    /// A point of the clock's time, by its distance from the clock's beginning.
    public struct Instant: InstantProtocol {
        package let offset: Duration

        /// The instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from this instant to the other one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// True where the left instant is earlier.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct Sleeper {
        var id: UInt64
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Time {
        var now = Instant(offset: .zero)
        /// The sleepers by their deadlines.
        var sleepers: [Sleeper] = []
        /// The last numbers of a sleeper and of a seed.
        var (lastID, seed) = (UInt64(0), UInt64(0))
    }

    private let time = Lock(Time())
    let work = ManualExecutor()

    /// A clock at its beginning.
    public init() {}

    /// Runs tasks inside of `advance` and `run`, and nowhere else.
    package var executor: any TaskExecutor { work }

    /// The time that the clock shows.
    public var now: Instant { time.withLock { $0.now } }

    /// The smallest step: an attosecond, as of a `Duration`.
    public var minimumResolution: Duration {
        Duration(secondsComponent: 0, attosecondsComponent: 1)
    }

    /// Waits until the clock is moved to the deadline or beyond; at once where it is there already.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = time.withLock { time in
            time.lastID += 1
            return time.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(id: id, deadline: deadline, continuation: continuation)
                if !fallAsleep(sleeper) { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = time.withLock { time in
                time.sleepers.firstIndex { $0.id == id }.map { time.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func fallAsleep(_ sleeper: Sleeper) -> Bool {
        time.withLock { time in
            guard sleeper.deadline > time.now, !Task.isCancelled else { return false }
            let place = time.sleepers.firstIndex { $0.deadline > sleeper.deadline }
            time.sleepers.insert(sleeper, at: place ?? time.sleepers.endIndex)
            return true
        }
    }

    /// The time until the next sleeper wakes; nil where there is none.
    package var timeToNextWake: Duration? {
        time.withLock { time in
            time.sleepers.first.map { time.now.duration(to: $0.deadline) }
        }
    }

    // MARK: Moving

    /// Moves the clock, wakes every sleeper whose time comes on the way, and runs the work of the
    /// clock's environment.
    public func advance(by duration: Duration = .zero) {
        advance(by: duration) { while work.runNext() {} }
    }

    /// Moves the clock from wake to wake until no sleeper is left.
    ///
    /// - Returns: false where a sleeper is left after so many wakes: a timer without an end.
    @discardableResult
    public func run(atMost wakes: Int = 1_000) -> Bool {
        run(atMost: wakes) { while work.runNext() {} }
    }

    /// Moves the clock; `settle` runs the work that a wake has started.
    func advance(by duration: Duration, settle: () -> Void) {
        precondition(duration >= .zero, "A clock is only moved forward.")
        settle()
        let end = now.advanced(by: duration)
        while wakeNext(notAfter: end) { settle() }
    }

    func run(atMost wakes: Int, settle: () -> Void) -> Bool {
        settle()
        for _ in 0..<wakes {
            guard wakeNext(notAfter: nil) else { return true }
            settle()
        }
        return timeToNextWake == nil
    }

    /// Moves the clock to the next deadline and wakes its sleeper; to `end`, and false, where none
    /// is left until then. One lock is held for both, so that a task cannot fall asleep in between.
    private func wakeNext(notAfter end: Instant?) -> Bool {
        let sleeper = time.withLock { time -> Sleeper? in
            guard let next = time.sleepers.first, end.map({ next.deadline <= $0 }) ?? true else {
                if let end { time.now = max(time.now, end) }
                return nil
            }
            time.now = max(time.now, next.deadline)
            return time.sleepers.removeFirst()
        }
        sleeper?.continuation.resume()
        return sleeper != nil
    }
}

extension ManualClock {
    /// An environment without chance: it waits by this clock and runs effects on its executor; the
    /// time of day is `start` and as much as the clock was moved; the seeds of random numbers are
    /// `Seed(1)`, `Seed(2)` and so on in all environments of a clock.
    public func environment(
        startingAt start: Timestamp = Timestamp(milliseconds: 0)
    ) -> Environment {
        var environment = Environment(
            clock: self,
            now: {
                let (seconds, attoseconds) = self.now.offset.components
                let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
                return Timestamp(milliseconds: start.milliseconds + milliseconds)
            },
            makeSeed: {
                self.time.withLock { time in
                    time.seed += 1
                    return Seed(time.seed)
                }
            })
        environment.executor = executor
        return environment
    }
}
