import Sessions
import Sockets
import Synchronization

/// The sessions that all loops keep together, counted, and those of them that one maker has made.
final class SessionQuota: Sendable {
    private let total = Atomic<Int>(0)
    private let counts = Lock<[SessionMaker: Int]>([:])
    /// A recording is being read.
    private let isReading = Atomic<Bool>(false)
    private let limit: Int
    private let share: Int

    /// Each maker may have a few sessions, however small the share of the limit is.
    private static let leastShare = 16

    init(_ limits: SessionLimits) {
        limit = limits.sessionCount
        let share = Double(limit) * min(max(limits.sessionShare, 0), 1)
        self.share = max(Int(share), min(limit, Self.leastShare))
    }

    /// The number of sessions.
    var count: Int { total.load(ordering: .relaxed) }

    /// The server keeps as many sessions as it may, or nearly.
    var isAlmostFull: Bool { count >= limit - limit / 100 }

    /// Counts one more session; false, and not counted, at the limit or at the maker's share. A
    /// session that the journal holds already has no maker.
    func enter(_ maker: SessionMaker?) -> Bool {
        guard total.add(1, ordering: .relaxed).newValue <= limit else {
            total.subtract(1, ordering: .relaxed)
            return false
        }
        guard let maker else { return true }
        let hasShare = counts.withLock { counts in
            let count = counts[maker, default: 0]
            guard count < share else { return false }
            counts[maker] = count + 1
            return true
        }
        if !hasShare { total.subtract(1, ordering: .relaxed) }
        return hasShare
    }

    /// Counts one session less.
    func leave(_ maker: SessionMaker?) {
        let left = total.subtract(1, ordering: .relaxed).newValue
        precondition(left >= 0, "A session leaves once, after it has entered.")
        disown(maker)
    }

    /// Counts a recording as the one that is read; false where another one is.
    func enterReading() -> Bool { !isReading.exchange(true, ordering: .acquiring) }

    /// The recording has been read.
    func leaveReading() { isReading.store(false, ordering: .releasing) }

    /// Counts a session as no maker's: the journal had it already.
    func disown(_ maker: SessionMaker?) {
        guard let maker else { return }
        counts.withLock { counts in
            let count = counts[maker, default: 1]
            counts[maker] = count > 1 ? count - 1 : nil
        }
    }
}
