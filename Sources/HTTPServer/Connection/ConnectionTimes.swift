internal import Sockets

/// The times of one connection that its deadlines are counted from.
struct ConnectionTimes {
    /// The connection received bytes then, or its client took some of those that waited.
    private(set) var activity: Instant
    /// The connection, or its stream, has reached its age then.
    private(set) var expiry: Instant
    /// The present head began to come then, or lingering began.
    private(set) var began: Instant
    /// The pace at which the client takes what waits; it counts only while something does.
    private var pace: ReadingPace

    init(now: Instant, expiry: Instant = Instant(nanoseconds: .max)) {
        activity = now
        began = now
        self.expiry = expiry
        pace = ReadingPace(since: now)
    }

    /// The connection has reached its age: it ends with the next answer.
    var isExpired: Bool {
        expiry <= activity
    }

    /// Bytes have come.
    mutating func received(at now: Instant) {
        activity = now
    }

    /// A request, or lingering, begins.
    mutating func began(at now: Instant) {
        began = now
    }

    /// A stream begins, with an age of its own.
    mutating func streamBegan(until expiry: Instant) {
        self.expiry = expiry
    }

    /// Something waits for the client from now on.
    mutating func blocked(at now: Instant) {
        activity = now
        pace = ReadingPace(since: now)
    }

    /// The client has taken bytes of those that wait.
    mutating func taken(_ count: Int, at now: Instant, _ minimum: ReadingPace.Minimum) {
        guard count > 0 else { return }
        activity = now
        pace.took(count, at: now, minimum)
    }

    /// Answers true where the client takes nothing, or too little, of what waits for it.
    func isReaderSlow(at now: Instant, _ limits: HTTPLimits) -> Bool {
        now >= activity.advanced(by: limits.writeProgressDuration)
            || pace.isTooSlow(at: now, .init(limits))
    }

}

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
