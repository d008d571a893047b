internal import Sockets

/// Finds the turns of one loop that take too long, and of each the work that took longest.
///
/// The times are those of the coarse clock, which costs a load from memory and moves every few
/// milliseconds. Most pieces of work end before it has moved, and are passed over by one
/// comparison; one that takes tens of milliseconds is found.
///
/// A class, so that this comparison is one: an access to a value that another class holds, and
/// that has methods which change it, is checked for exclusivity each time.
final class TurnMeter {
    private let limit: Int64
    /// From here on a turn is long: a fifth of what it may take.
    let longTime: Int64
    /// When the last piece of work ended.
    private var last = Instant(nanoseconds: 0)
    private var longest: (work: String, time: Int64) = ("", 0)

    init(limit: Duration) {
        self.limit = limit.nanoseconds
        longTime = limit.nanoseconds / 5
    }

    /// Answers true where the clock has moved since the last piece of work.
    @inline(__always)
    func hasMoved(_ now: Instant) -> Bool {
        now != last
    }

    /// The turn that began at `start` has lasted so long that no connection
    /// should have a second request handled in it.
    @inline(__always)
    func isLong(since start: Instant) -> Bool {
        last.nanoseconds - start.nanoseconds > longTime
    }

    /// A piece of work has ended just now, as far as that can be seen.
    @inline(__always)
    func workEnded(inTurnSince start: Instant, _ work: String) {
        let now = Instant.readCoarse()
        if hasMoved(now) { workEnded(at: now, since: start, work) }
    }

    /// A piece of work has ended, in a turn that began at `start`.
    func workEnded(at now: Instant, since start: Instant, _ work: String) {
        let time = now.nanoseconds - max(last, start).nanoseconds
        last = now
        if time > longest.time { longest = (work, time) }
    }

    /// A turn has ended, with the piece of work that is named so. Where it took too long, this tells
    /// how long, and which piece of work took longest: `took 60 ms; 40 ms of it: POST /counter/…`.
    func turnEnded(at now: Instant, since start: Instant, _ work: String) -> String? {
        guard hasMoved(now) || longest.time > 0 else { return nil }
        workEnded(at: now, since: start, work)
        let longest = longest
        self.longest = ("", 0)
        let time = now.nanoseconds - start.nanoseconds
        guard time >= limit else { return nil }
        return "took \(time / 1_000_000) ms; \(longest.time / 1_000_000) ms of it: \(longest.work)"
    }

    // MARK: The log

    private static let pause = Duration.seconds(10)
    private var nextLine = Instant(nanoseconds: .min)
    private var unreportedCount = 0

    /// The log's line about a turn that ended at `now`; nil where it is only counted, since there is
    /// one in ten seconds at most.
    func line(about turn: String, ofLoop index: Int, at now: Instant) -> String? {
        guard now >= nextLine else {
            unreportedCount += 1
            return nil
        }
        defer {
            nextLine = now.advanced(by: Self.pause)
            unreportedCount = 0
        }
        let others =
            unreportedCount > 0 ? " (\(unreportedCount) more since the last such line)" : ""
        return "A turn of loop \(index) \(turn)\(others)"
    }
}
