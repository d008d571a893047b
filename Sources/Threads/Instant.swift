internal import Glibc

/// A point of the monotonic clock, in nanoseconds. Only differences mean something.
@usableFromInline
package struct Instant: Sendable, Hashable, Comparable, BitwiseCopyable, InstantProtocol {
    /// Nanoseconds since an origin that differs from boot to boot.
    @usableFromInline package let nanoseconds: Int64

    /// The point this many nanoseconds after the clock's origin.
    @inlinable
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock as it stands, read now. Code on a loop uses the loop's `now`.
    package static func read() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC))
    }

    /// The clock as it stood at the kernel's last tick, 1 to 10 ms ago at most: for what is asked
    /// often and needs no more.
    package static func readCoarse() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC_COARSE))
    }

    /// The wall clock as it stands: milliseconds since 1970, UTC.
    package static func readWallClock() -> Int64 {
        nanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    @inlinable
    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The point a duration later; at the ends of time it saturates.
    @inlinable
    package func advanced(by duration: Duration) -> Instant {
        advanced(byNanoseconds: duration.nanoseconds)
    }

    /// The point this many nanoseconds later, without the 128-bit arithmetic of `Duration`.
    @inlinable
    package func advanced(byNanoseconds count: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return Instant(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// The time until `other`; negative when it has passed.
    @inlinable
    package func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        let failed = unsafe clock_gettime(clock, &time)
        precondition(failed == 0, "The clocks that every Linux has cannot be read.")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds, saturating at 292 years.
    @inlinable
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}
