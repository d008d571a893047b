import Journaling
import Sessions
import Sockets
import Synchronization

/// The sessions that all loops have in memory together, counted, and those that each client has made,
/// asleep or awake, on its account.
final class SessionQuota: Sendable {
    private let total = Atomic<Int>(0)
    private let counting = Lock(Counting())
    private let budget: MemoryBudget
    /// So many end at present, as their lifetimes are over.
    let expiring = Atomic<Int>(0)
    /// A recording is being read.
    private let isReading = Atomic<Bool>(false)
    private let limit: Int
    private let share: Int

    private struct Counting {
        /// The name up to which the sessions are counted that a journal has from before the start; nil: all.
        var frontier: String? = ""
        /// Those behind it that count already: they were made since.
        var made: Set<String> = []
        /// What each maker has of those that are counted once more; nil: nobody counts.
        var anew: [Accounts.Client: Int]?
        /// What each maker has that no journal has.
        var unkept: [Accounts.Client: Int] = [:]
    }

    /// So many sessions are told from those of before while these are counted; others count twice.
    private static let madeCount = 1 << 18

    init(_ limits: SessionLimits, _ budget: MemoryBudget) {
        self.budget = budget
        limit = limits.sessionCount
        share = Accounts.share(limits.sessionShare, of: limit)
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

    /// The server's own code, where somebody has it make a session: a route, or a piece of work. It has all
    /// sessions, as 0 has, but they go as those of clients do.
    static let forSomebody = Accounts.Client.max

    private func hasShare(_ maker: Accounts.Client) -> Bool {
        maker > 0 && maker < Self.forSomebody
    }

    /// Counts one more session of a maker; false, and not counted, at their share. 0 is nobody.
    ///
    /// - Parameter isKept: no replay, which no journal has.
    func own(_ maker: Accounts.Client, of name: SessionName, isKept: Bool = true) -> Bool {
        guard hasShare(maker) else { return true }
        return counting.withLock { counting in
            let isWithin = budget.withAccounts { accounts in
                guard accounts[.sessions, maker] < share else { return false }
                accounts.add(1, .sessions, of: maker)
                return true
            }
            guard isWithin, isKept else {
                if isWithin { counting.unkept[maker, default: 0] += 1 }
                return isWithin
            }
            guard let frontier = counting.frontier else { return true }
            counting.anew?[maker, default: 0] += 1
            let text = name.description
            if text > frontier, counting.made.count < Self.madeCount { counting.made.insert(text) }
            return true
        }
    }

    /// Counts a session that a journal has, the next one in the order of their names.
    func count(_ maker: Accounts.Client, of name: SessionName) {
        counting.withLock { counting in
            guard let frontier = counting.frontier else { return }
            let text = name.description
            guard text > frontier else { return }
            counting.frontier = text
            guard hasShare(maker), counting.made.remove(text) == nil else { return }
            if counting.anew == nil { budget.withAccounts { $0.add(1, .sessions, of: maker) } }
            counting.anew?[maker, default: 0] += 1
        }
    }

    /// What other servers make and end is not told here: all that a journal has is counted once more. Until
    /// that is done, the former numbers count. Those of the start are counted first.
    func countAnew() {
        counting.withLock { counting in
            guard counting.frontier == nil || counting.anew != nil else { return }
            (counting.frontier, counting.made, counting.anew) = ("", [], [:])
        }
    }

    /// All sessions that a journal has are counted.
    func countedAll() {
        counting.withLock { counting in
            if let anew = counting.anew {
                budget.withAccounts { accounts in
                    accounts.clear(.sessions)
                    for (maker, count) in anew.merging(counting.unkept, uniquingKeysWith: +)
                    where count > 0 { accounts.add(count, .sessions, of: maker) }
                }
            }
            (counting.frontier, counting.made, counting.anew) = (nil, [], nil)
        }
    }

    /// A session of a maker has ended, or was not made after all.
    func disown(_ maker: Accounts.Client, of name: SessionName, isKept: Bool = true) {
        guard hasShare(maker) else { return }
        counting.withLock { counting in
            if !isKept {
                counting.unkept[maker, default: 0] -= 1
                if counting.unkept[maker] == 0 { counting.unkept[maker] = nil }
            } else if let frontier = counting.frontier {
                let text = name.description
                let isCounted = counting.made.remove(text) != nil || text <= frontier
                guard isCounted || counting.anew != nil else { return }
                if isCounted { counting.anew?[maker, default: 0] -= 1 }
            }
            budget.withAccounts { accounts in
                guard accounts[.sessions, maker] > 0 else { return }
                accounts.add(-1, .sessions, of: maker)
            }
        }
    }

    /// Counts a recording as the one that is read; false where another one is.
    func enterReading() -> Bool { !isReading.exchange(true, ordering: .acquiring) }

    /// The recording has been read.
    func leaveReading() { isReading.store(false, ordering: .releasing) }
}
