package import Bytes

/// Tells when each entry of a recording is due. A value without a clock: the present instant comes
/// with each question.
package struct ReplaySchedule: Sendable {
    /// The version that the recording begins with.
    package let first: UInt64
    /// The way in which it is played.
    package private(set) var mode: ReplayMode
    /// The time of each entry, in milliseconds of the recording; none is before the one in front of it.
    private let times: [Int64]
    /// The place in the recording, in its milliseconds, at an instant.
    private var mark: (time: Int64, instant: Instant)
    /// The version that was asked for.
    private var reached: UInt64

    /// A recording at its beginning.
    ///
    /// - Parameter times: the time of each entry behind the first version.
    package init(_ times: [Int64], behind first: UInt64, _ mode: ReplayMode, at now: Instant) {
        self.first = first
        self.times = times
        self.mode = .step
        mark = (0, now)
        reached = first
        change(to: mode, at: now)
    }

    /// The version behind the last entry.
    package var last: UInt64 { first + UInt64(times.count) }
    /// The time of the last entry.
    package var duration: Int64 { max(0, times.last ?? 0) }

    /// The place in the recording, in its milliseconds.
    package func position(at now: Instant) -> Int64 {
        guard case .speed(let speed) = mode else { return mark.time }
        return min(duration, mark.time + elapsed(since: mark.instant, at: now, speed))
    }

    private func elapsed(since start: Instant, at now: Instant, _ speed: Int) -> Int64 {
        let nanoseconds = max(0, now.nanoseconds - start.nanoseconds)
        let (product, isFar) = nanoseconds.multipliedReportingOverflow(by: Int64(speed))
        return isFar ? duration : min(product / 1_000_000, duration)
    }

    /// The version through which entries are due.
    package func due(at now: Instant) -> UInt64 {
        guard case .speed = mode else { return reached }
        let position = position(at: now)
        return reached + UInt64(times[Int(reached - first)...].prefix { $0 <= position }.count)
    }

    /// The instant at which the entry behind a version is due; nil where time brings none.
    package func instant(after version: UInt64) -> Instant? {
        guard case .speed(let speed) = mode, version >= first, version < last else { return nil }
        let wait = times[Int(version - first)] - mark.time
        let (nanoseconds, isFar) = max(0, wait).multipliedReportingOverflow(by: 1_000_000)
        guard !isFar else { return nil }
        // Rounded up: at that instant the entry is due.
        return mark.instant.advanced(byNanoseconds: (nanoseconds + Int64(speed) - 1) / Int64(speed))
    }

    /// Goes on in another way from here.
    package mutating func change(to mode: ReplayMode, at now: Instant) {
        mark = (position(at: now), now)
        reached = due(at: now)
        self.mode = mode
        if mode == .instant { (reached, mark.time) = (last, duration) }
    }

    /// Goes on from behind a version, which is not before the one that is due.
    package mutating func move(to version: UInt64, at now: Instant) {
        precondition((first...last).contains(version), "The recording has the version.")
        reached = max(version, due(at: now))
        let time = reached > first ? times[Int(reached - first) - 1] : 0
        mark = (max(time, position(at: now)), now)
    }
}
