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

    /// Earlier than.
    @inlinable
    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// A point that does not come.
    package static let never = Instant(nanoseconds: .max)

    /// The point a duration later; at the ends of time it saturates.
    @usableFromInline
    package func advanced(by duration: Duration) -> Instant {
        advanced(byNanoseconds: duration.nanoseconds)
    }

    /// The point this many nanoseconds later, without the 128-bit arithmetic of `Duration`.
    @inlinable
    package func advanced(byNanoseconds count: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return Instant(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// The duration until `other`; negative when it has passed.
    @inlinable
    package func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }
}

extension Duration {
    /// Whole nanoseconds, saturating at 292 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}

/// A thing that is to happen at a time, in one heap of timers. Once it has happened or was cancelled
/// it means nothing: cancelling it again is harmless.
package struct Timer: Sendable, Hashable, BitwiseCopyable {
    package let index: UInt32
    package let generation: UInt32

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// A timer that is not, and never was, scheduled: a start value for a property.
    package static let none = Timer(index: .max, generation: 0)
}
