import DequeModule
import Sockets

/// The answers that were given under idempotency keys, for clients that ask again.
struct IdempotencyTable {
    /// An answer, and what it answered.
    struct Entry {
        /// Tells bodies apart.
        var fingerprint: UInt64
        var madeAt: Instant
        /// Nil while it waits for the journal.
        var answer: ActionAnswer?
    }

    private var entries: [String: Entry] = [:]
    private var order = Deque<String>()

    /// What is known of a key.
    func entry(_ key: String) -> Entry? { entries[key] }

    /// Remembers an answer, and forgets those that are too old or too many.
    mutating func insert(
        _ key: String, _ entry: Entry, _ limits: SessionLimits
    ) {
        if entries.updateValue(entry, forKey: key) == nil { order.append(key) }
        while let oldest = order.first {
            guard
                order.count > limits.idempotencyKeyCount
                    || entries[oldest].map({
                        entry.madeAt >= $0.madeAt.advanced(by: limits.idempotencyDuration)
                    }) ?? true
            else { return }
            order.removeFirst()
            entries[oldest] = nil
        }
    }

    /// Forgets a key whose actions were not kept.
    mutating func remove(_ key: String) {
        entries[key] = nil
        order.removeAll { $0 == key }
    }
}
