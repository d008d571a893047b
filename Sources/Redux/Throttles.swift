/// The kinds of actions that went on a moment ago, and the times until which others are dropped.
struct Throttles {
    private var ends: [String: Duration] = [:]
    /// The ends that the present decision has changed, as they were before, the oldest first.
    private var changes: [(key: String, end: Duration?)] = []
    private var now: (@Sendable () -> Duration)?

    /// The fate of an action.
    enum Admission {
        case passes
        case tooEarly
        /// As many kinds as allowed are remembered.
        case exhausted
    }

    /// Lets one of a kind go on, and then no other one for a period.
    mutating func admit(
        _ key: String, per period: Duration, limit: Int, by clock: any Clock<Duration>
    ) -> Admission {
        let elapsed = now ?? clock.timeSinceNow()
        now = elapsed
        let time = elapsed()
        if let end = ends[key], time < end { return .tooEarly }
        if ends[key] == nil, ends.count >= limit {
            ends = ends.filter { $0.value > time }
            guard ends.count < limit else { return .exhausted }
        }
        changes.append((key, ends[key]))
        ends[key] = time + period
        return .passes
    }

    /// Ends a decision: what is refused counts for nothing.
    mutating func conclude(isRefused: Bool) {
        guard !changes.isEmpty else { return }
        if isRefused {
            for (key, end) in changes.reversed() { ends[key] = end }
        }
        changes.removeAll(keepingCapacity: true)
    }

    /// Forgets what went on: it could not be kept.
    mutating func removeAll() {
        ends = [:]
        changes = []
    }
}
