/// Milliseconds since 1970-01-01 UTC, leap seconds left out.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Whole milliseconds.
    public var milliseconds: Int64

    /// A point of time.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Earlier than.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time so much later, in whole milliseconds; the last one that there is where that is too
    /// far.
    ///
    ///     state.turn = Turn(player: next, ends: step.at + .seconds(30))
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (thousands, isFar) = seconds.multipliedReportingOverflow(by: 1_000)
        let rest = attoseconds / 1_000_000_000_000_000
        let (span, isFarther) = thousands.addingReportingOverflow(rest)
        let (sum, isFarthest) = time.milliseconds.addingReportingOverflow(span)
        guard isFar || isFarther || isFarthest else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: duration < .zero ? .min : .max)
    }
}

extension Clock where Duration == Swift.Duration {
    /// Measures the time that has passed since this call.
    package func timeSinceNow() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
