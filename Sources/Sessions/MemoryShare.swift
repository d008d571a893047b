import Accounting

/// The bytes that one session has counted into the memory budget.
struct MemoryShare {
    /// What can be made again of a session that no client watches, its JSON and its ledger, is kept for so long after the last request.
    static let cacheDuration = Duration.seconds(30)
    /// An empty session takes about so much.
    private static let leastByteCount = 1024
    /// A session up to this size goes on although memory is far too short.
    private static let smallByteCount = 16 * 1024

    private var byteCount = 0

    /// Takes note of the bytes that the parts of a session hold now; nil once it has ended.
    ///
    /// - Returns: the bytes that are to be added to the budget.
    mutating func hold(_ held: Int?) -> Int {
        precondition(held ?? 0 >= 0, "A session holds something or nothing.")
        let now = held.map { $0 + Self.leastByteCount } ?? 0
        defer { byteCount = now }
        return now - byteCount
    }

    /// The session does not go on where memory is far too short.
    var isLarge: Bool { byteCount > Self.smallByteCount }
}
