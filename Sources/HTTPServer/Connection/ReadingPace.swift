internal import Sockets

/// The pace at which a client takes what waits for it: the bytes of one period, then of the next.
///
/// A byte now and then shows that a client is there, but would keep a whole answer waiting for as
/// long as it likes.
struct ReadingPace: Equatable, BitwiseCopyable {
    /// The least that a client must take.
    struct Minimum: Equatable, BitwiseCopyable {
        /// In one period.
        let byteCount: UInt32
        let periodNanoseconds: Int64

        init(_ limits: HTTPLimits) {
            periodNanoseconds = limits.leastRateDuration.nanoseconds
            let seconds = Double(periodNanoseconds) / 1e9
            byteCount = UInt32(min(Double(limits.leastBytesPerSecond) * seconds, 4e9))
        }
    }

    private var periodStart: Instant
    /// A connection holds one of these: 4 GiB in a period are enough to be fast.
    private var byteCount: UInt32 = 0

    /// Something waits from now on.
    init(since now: Instant) {
        periodStart = now
    }

    /// The client has taken bytes. A period that is over and had enough gives way to the next one;
    /// one that had too little stays, for the next question.
    mutating func took(_ count: Int, at now: Instant, _ minimum: Minimum) {
        guard !isTooSlow(at: now, minimum) else { return }
        if isPeriodOver(at: now, minimum) { self = ReadingPace(since: now) }
        byteCount = UInt32(clamping: Int(byteCount) + count)
    }

    /// Answers true where a period is over in which the client has taken less than it must.
    func isTooSlow(at now: Instant, _ minimum: Minimum) -> Bool {
        isPeriodOver(at: now, minimum) && byteCount < minimum.byteCount
    }

    private func isPeriodOver(at now: Instant, _ minimum: Minimum) -> Bool {
        now.nanoseconds - periodStart.nanoseconds >= minimum.periodNanoseconds
    }
}
