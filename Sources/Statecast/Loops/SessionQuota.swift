import Journaling
import Sessions
import Sockets
import Synchronization

/// The sessions that all loops have in memory together, counted, and those that one maker has made, asleep
/// or awake: 256 KiB, however many they are.
final class SessionQuota: Sendable {
    private let total = Atomic<Int>(0)
    /// By the prints of the makers: two share a count by chance alone, one time in 65,536.
    private let counts = Lock([UInt32](repeating: 0, count: 1 << 16))
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

    /// Counts one more session in memory; false, and not counted, at the limit.
    func enter() -> Bool {
        guard total.add(1, ordering: .relaxed).newValue <= limit else {
            total.subtract(1, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Counts a session in memory less.
    func leave() {
        let left = total.subtract(1, ordering: .relaxed).newValue
        precondition(left >= 0, "A session leaves once, after it has entered.")
    }

    /// Counts one more session of a maker; false, and not counted, at their share. 0 is nobody.
    ///
    /// - Parameter isKept: it is there already.
    func own(_ maker: UInt16, isKept: Bool = false) -> Bool {
        guard maker > 0 else { return true }
        return counts.withLock { counts in
            guard isKept || counts[Int(maker)] < share else { return false }
            counts[Int(maker)] += 1
            return true
        }
    }

    /// A session of a maker has ended.
    func disown(_ maker: UInt16) {
        counts.withLock { $0[Int(maker)] -= $0[Int(maker)] > 0 ? 1 : 0 }
    }

    /// Counts a recording as the one that is read; false where another one is.
    func enterReading() -> Bool { !isReading.exchange(true, ordering: .acquiring) }

    /// The recording has been read.
    func leaveReading() { isReading.store(false, ordering: .releasing) }
}

extension SessionMaker {
    /// The print by which a journal's sessions are counted, the same on every machine; never 0.
    func print(_ hash: KeyedHash) -> UInt16 {
        let bytes = hash.hash(of: Array("\(self)".utf8))
        return max(1, UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    }
}
