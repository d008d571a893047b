internal import Sockets

/// How fast a client takes what waits for it: the bytes of one period, then of the next.
///
/// A byte now and then shows that a client is there, but would keep a whole answer waiting for as
/// long as it likes.
struct ReadingPace: Equatable {
    private var periodStart: Instant
    private var byteCount = 0

    /// Something waits from now on.
    init(since now: Instant) {
        periodStart = now
    }

    /// The client has taken bytes.
    mutating func took(_ count: Int, at now: Instant, _ limits: HTTPLimits) {
        if isPeriodOver(at: now, limits) { self = ReadingPace(since: now) }
        byteCount += count
    }

    /// Whether a period is over in which the client has taken less than it must.
    func isTooSlow(at now: Instant, _ limits: HTTPLimits) -> Bool {
        guard isPeriodOver(at: now, limits) else { return false }
        let seconds = Double(limits.leastRateDuration.nanoseconds) / 1e9
        return Double(byteCount) < Double(limits.leastBytesPerSecond) * seconds
    }

    private func isPeriodOver(at now: Instant, _ limits: HTTPLimits) -> Bool {
        now >= periodStart.advanced(by: limits.leastRateDuration)
    }
}
