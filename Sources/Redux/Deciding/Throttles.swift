/// The periods of throttled actions: of each kind the one that has begun last, and whether an action
/// waits for its end.
struct Throttles {
    /// A time in which one action of a kind has gone on, at its beginning, and no other one does; and the
    /// number of the action that goes on at its end and begins the next one, where one waits for that.
    private typealias Period = (end: Duration, length: Duration, waiting: UInt64?)

    private var periods: [String: Period] = [:]
    var isEmpty: Bool { periods.isEmpty }
    /// The periods that the present decision has changed, as they were before, the oldest first.
    private var changes: [(key: String, period: Period?)] = []
    /// The number of the last action that waits, or has waited: no other one is given the same.
    private var lastNumber: UInt64 = 0

    /// Lets one of a kind go on, and the last of those that come in the period after it at the
    /// period's end, which begins the next one.
    ///
    /// Answers with nil where the action goes on; else it is the last one of its period so far, and
    /// waits for so long, under a number of all that have been the last one of this period.
    ///
    /// - Parameters:
    ///   - limit: the number of kinds that are remembered.
    ///   - canWait: an action can go on later.
    mutating func admit(
        _ key: String, per length: Duration, limit: Int, at time: Duration, canWait: Bool = true
    ) throws(Rejection) -> (duration: Duration, number: UInt64)? {
        if var period = periods[key].flatMap({ Self.present($0, at: time) }) {
            guard canWait else { return (period.end - time, 0) }
            let number = period.waiting ?? lastNumber + 1
            lastNumber = max(lastNumber, number)
            period.waiting = number
            put(period, key)
            return (period.end - time, number)
        }
        if periods[key] == nil, periods.count >= limit {
            forget(at: time)
            guard periods.count < limit else { throw .tooManyActions }
        }
        put((time + length, length, nil), key)
        return nil
    }

    /// The period that is under way at a time: this one, or the one that the action begins which has
    /// waited for its end.
    private static func present(_ period: Period, at time: Duration) -> Period? {
        if time < period.end { return period }
        let next = period.end + period.length
        return period.waiting != nil && time < next ? (next, period.length, nil) : nil
    }

    /// Forgets the periods that are over.
    mutating func forget(at time: Duration) {
        periods = periods.filter { Self.present($0.value, at: time) != nil }
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
        (periods, changes) = ([:], [])
    }
}
