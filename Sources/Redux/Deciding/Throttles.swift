/// The periods of throttled actions: of each kind the one that has begun last, and whether an action
/// waits for its end.
struct Throttles {
    /// A time in which one action of a kind has gone on, at its beginning, and no other one does.
    private struct Period {
        var end: Duration
        var length: Duration
        /// The number of the action that goes on at the end and begins the next period; nil where none
        /// has come that waits for it.
        var waiting: UInt64?

        /// The period that is under way at a time: this one, or the one that the action begins which
        /// has waited for its end.
        func present(at time: Duration) -> Period? {
            if time < end { return self }
            let next = Period(end: end + length, length: length)
            return waiting != nil && time < next.end ? next : nil
        }
    }

    private var periods: [String: Period] = [:]
    var isEmpty: Bool { periods.isEmpty }
    /// The periods that the present decision has changed, as they were before, the oldest first.
    private var changes: [(key: String, period: Period?)] = []
    private var now: (@Sendable () -> Duration)?
    /// The number of the last action that waits, or has waited: no other one is given the same.
    private var lastNumber: UInt64 = 0
    private let canWait: Bool

    /// - Parameter canWait: an action can go on later.
    init(canWait: Bool = true) {
        self.canWait = canWait
    }

    /// The fate of an action.
    enum Admission {
        case passes
        /// It is the last one of its period so far, and goes on after so long, at the period's end.
        ///
        /// - Parameter number: one for all actions that have been the last one of this period.
        case waits(Duration, number: UInt64)
        /// It has come in a period, and no action can go on later.
        case passedOver
        /// As many kinds as allowed are remembered.
        case exhausted
    }

    /// Lets one of a kind go on, and the last of those that come in the period after it at the
    /// period's end, which begins the next one.
    mutating func admit(
        _ key: String, per length: Duration, limit: Int, by clock: any Clock<Duration>
    ) -> Admission {
        let elapsed = now ?? clock.timeSinceNow()
        now = elapsed
        let time = elapsed()
        if var period = periods[key]?.present(at: time) {
            guard canWait else { return .passedOver }
            let number = period.waiting ?? lastNumber + 1
            lastNumber = max(lastNumber, number)
            period.waiting = number
            put(period, key)
            return .waits(period.end - time, number: number)
        }
        if periods[key] == nil, periods.count >= limit {
            periods = periods.filter { $0.value.present(at: time) != nil }
            guard periods.count < limit else { return .exhausted }
        }
        put(Period(end: time + length, length: length), key)
        return .passes
    }

    private mutating func put(_ period: Period, _ key: String) {
        changes.append((key, periods[key]))
        periods[key] = period
    }

    /// Ends a decision: what is refused counts for nothing.
    mutating func conclude(isRefused: Bool) {
        guard !changes.isEmpty else { return }
        if isRefused {
            for (key, period) in changes.reversed() { periods[key] = period }
        }
        changes.removeAll(keepingCapacity: true)
    }

    /// Forgets the periods: what went on could not be kept.
    mutating func removeAll() {
        periods = [:]
        changes = []
    }
}
