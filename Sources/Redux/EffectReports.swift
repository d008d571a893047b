import Synchronization

/// Counts the actions of one effect that are on their way to the store: a bound, and an end.
final class EffectReports: Sendable {
    /// The fate of a report.
    enum Entry: Sendable, Hashable {
        case delivered
        /// One too many: this one says so, later ones say nothing.
        case overflowed
        case closed
    }

    let limit: Int
    /// Below zero: closed.
    private let count = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    func enter() -> Entry {
        var seen = count.load(ordering: .relaxed)
        while true {
            guard seen >= 0 else { return .closed }
            let next = seen < limit ? seen + 1 : -1
            let result = count.weakCompareExchange(
                expected: seen, desired: next, ordering: .acquiringAndReleasing)
            if result.exchanged { return next < 0 ? .overflowed : .delivered }
            seen = result.original
        }
    }

    /// The store has taken one.
    func leave() {
        var seen = count.load(ordering: .relaxed)
        while seen > 0 {
            let result = count.weakCompareExchange(
                expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
            if result.exchanged { return }
            seen = result.original
        }
    }

    func close() {
        count.store(-1, ordering: .releasing)
    }
}
