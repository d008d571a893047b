import Synchronization

/// An entry as the cause of others: its number, its origin, and the chain that led to it.
struct Cause: Sendable, Equatable {
    /// The number of the entry.
    var version: UInt64
    var origin: Origin
    /// The version at the beginning of the chain, which no other one caused.
    var root: UInt64
    /// The number of causes that lie before it.
    var depth = 0
    /// Those causes, the oldest first.
    var chain: [UInt64] = []
    /// It comes late, out of an effect that took its time, and so begins a new chain.
    var isLate = false
    /// The part of the chain that lies in other sessions, and counts in `depth`.
    var outer: OuterChain?
}

extension Cause {
    /// An entry that another one caused, or that none of its session did.
    ///
    /// - Parameter outer: the chain in other sessions that has led to it.
    init(
        version: UInt64, origin: Origin, after cause: Cause? = nil, in outer: OuterChain? = nil
    ) {
        self.init(version: version, origin: origin, root: cause?.root ?? version)
        if let outer {
            depth = outer.depth
            self.outer = outer
        }
        guard let cause, !cause.isLate else { return }
        depth = cause.depth + 1
        chain = cause.path
        self.outer = cause.outer
    }

    /// The chain up to itself.
    var path: [UInt64] { chain + [version] }

    /// The cause of what is dispatched while an action that this entry has caused is being decided, and
    /// is no entry yet: it goes on with this entry's chain, one deeper.
    var ofUndecided: Cause {
        var cause = isLate ? Cause(version: version, origin: origin, root: root) : self
        if !isLate { cause.depth += 1 }
        return cause
    }
}

/// The part of a chain of causes that lies in other sessions: an action that the work of one session
/// dispatches to another one goes on with the chain that has started the work.
package struct OuterChain: Sendable, Equatable {
    /// The number of causes in it.
    package let depth: Int
    /// The dispatches between sessions that its first one has led to.
    package let tally: ChainTally

    package init(depth: Int, tally: ChainTally) {
        self.depth = depth
        self.tally = tally
    }
}

/// Counts the dispatches between sessions that all began with one.
package final class ChainTally: Sendable, Equatable {
    private let count = Atomic<Int>(0)

    package init() {}

    /// Counts one more dispatch; false where the chain has led to as many as may follow from one action.
    package func tryEnter(limit: Int) -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= limit { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }

    package static func == (left: ChainTally, right: ChainTally) -> Bool { left === right }
}
