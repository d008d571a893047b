import Redux
import Synchronization

/// The work, or the effect, in which sessions are used: what it dispatches goes on with its chain of
/// causes, and has keys made from its own.
final class CallingWork: Sendable {
    private let work: WorkChain
    private let chain: OuterChain
    private let limits: StoreLimits
    private let number = Atomic<Int>(0)

    /// One try of a piece of work.
    init(_ work: WorkChain, limits: StoreLimits = StoreLimits()) {
        self.work = work
        chain = OuterChain(depth: work.depth, tally: work.outer?.tally ?? ChainTally())
        self.limits = limits
    }

    /// The key of the next dispatch: `k3f9x2ab7qzd-42/order/1`.
    func nextKey() -> String {
        "\(work.key)/\(number.add(1, ordering: .relaxed).newValue)"
    }

    /// The chain for one more dispatch; throws where it is as long as allowed, or has led to as much.
    func enterChain() throws(SessionError) -> OuterChain {
        guard work.elapsed() < limits.quietDuration else {
            return OuterChain(depth: 0, tally: ChainTally())
        }
        guard chain.depth < limits.chainLength,
            chain.tally.tryEnter(limit: limits.followingActions)
        else { throw .rejected(.chainCut) }
        return chain
    }
}
