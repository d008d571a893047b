internal import Synchronization

/// Counts the compressed streams that are open; shared by the loops.
final class CompressionTally: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    var total: Int {
        count.load(ordering: .relaxed)
    }

    /// The answer to a stream that wants to be compressed.
    enum Entry {
        case entered
        /// As many streams as allowed are compressed.
        case refused
    }

    /// Counts one more stream, unless there are as many as allowed.
    func enter() -> Entry {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return .entered }
        leave()
        return .refused
    }

    /// A stream has ended.
    func leave() {
        let count = count.subtract(1, ordering: .relaxed).newValue
        precondition(count >= 0, "A stream that ends was counted.")
    }
}
