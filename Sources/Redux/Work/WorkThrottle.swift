/// The times at which throttled works begin: the first at once, the last at the end of the period.
struct WorkThrottle: Sendable {
    private struct Period {
        var begin: Duration
        var end: Duration
    }

    private let limit: Int
    private var periods: [String: Period] = [:]

    /// - Parameter limit: the number of names that are remembered at once.
    init(limit: Int) {
        self.limit = limit
    }

    /// The time at which work of a name may begin, not before `earliest`.
    mutating func admit(
        _ name: String, each length: Duration, from earliest: Duration, at now: Duration
    ) -> Duration {
        var begin = earliest
        if let period = periods[name] {
            // One that was replaced before it began leaves its turn to the next one.
            begin = max(begin, period.begin > now ? period.begin : period.end)
        }
        if periods[name] == nil, periods.count >= limit {
            periods = periods.filter { $0.value.end > now }
            guard periods.count < limit else { return begin }
        }
        periods[name] = Period(begin: begin, end: begin + length)
        return begin
    }
}
