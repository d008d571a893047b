import Journaling
import Sessions
import Sockets
import Synchronization

/// The sessions that all loops have in memory together, counted, and those that one maker has made, asleep
/// or awake: 256 KiB, however many they are.
final class SessionQuota: Sendable {
    private let total = Atomic<Int>(0)
    private let makers = Lock(Makers())
    /// A recording is being read.
    private let isReading = Atomic<Bool>(false)
    private let limit: Int
    private let share: Int

    private struct Makers {
        /// By their prints: two share a count by chance alone, one time in 65,536.
        var counts = [UInt32](repeating: 0, count: 1 << 16)
        /// The name up to which the sessions are counted that a journal has from before the start; nil: all.
        var frontier: String? = ""
        /// Those behind it that count already: they were made since.
        var made: Set<String> = []
    }

    /// So many sessions are told from those of before while these are counted; others count twice.
    private static let madeCount = 1 << 18

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

    /// Sessions that a journal keeps have to go to sleep: from nine tenths of the limit on, until there are
    /// eight.
    func lacksRoom(isMakingRoom: Bool) -> Bool {
        isMakingRoom ? count > min(limit - limit / 5, limit - 1) : count >= limit - limit / 10
    }

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
    func own(_ maker: UInt16, of name: SessionName) -> Bool {
        guard maker > 0 else { return true }
        return makers.withLock { makers in
            guard makers.counts[Int(maker)] < share else { return false }
            makers.counts[Int(maker)] += 1
            guard let frontier = makers.frontier else { return true }
            let text = name.description
            if text > frontier, makers.made.count < Self.madeCount { makers.made.insert(text) }
            return true
        }
    }

    /// Counts a session that a journal has, the next one in the order of their names.
    func count(_ maker: UInt16, of name: SessionName) {
        makers.withLock { makers in
            guard let frontier = makers.frontier else { return }
            let text = name.description
            guard text > frontier else { return }
            makers.frontier = text
            if maker > 0, makers.made.remove(text) == nil { makers.counts[Int(maker)] += 1 }
        }
    }

    /// All sessions that a journal has are counted.
    func countedAll() {
        makers.withLock { ($0.frontier, $0.made) = (nil, []) }
    }

    /// A session of a maker has ended, or was not made after all.
    func disown(_ maker: UInt16, of name: SessionName) {
        guard maker > 0 else { return }
        makers.withLock { makers in
            if let frontier = makers.frontier {
                let text = name.description
                guard makers.made.remove(text) != nil || text <= frontier else { return }
            }
            makers.counts[Int(maker)] -= makers.counts[Int(maker)] > 0 ? 1 : 0
        }
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
