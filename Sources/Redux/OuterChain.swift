import Synchronization

/// The part of a chain of causes that lies in other sessions: an action that the work of one session
/// dispatches to another one goes on with the chain that has started the work.
package struct OuterChain: Sendable, Hashable {
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
package final class ChainTally: Sendable, Hashable {
    /// The answer to one more dispatch.
    package enum Admission: Sendable {
        case counted
        /// The chain has led to as many as may follow from one action.
        case full
    }

    private let count = Atomic<Int>(0)

    package init() {}

    /// Counts one more dispatch, up to a limit.
    package func enter(limit: Int) -> Admission {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            return .full
        }
        return .counted
    }

    package static func == (left: ChainTally, right: ChainTally) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
