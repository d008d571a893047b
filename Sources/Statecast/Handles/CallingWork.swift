import Journaling
import Redux
import Synchronization

/// The work, or the effect, in which sessions are used: what it dispatches goes on with its chain of
/// causes, and has keys made from its own.
final class CallingWork: Sendable {
    private let work: WorkChain
    private let chain: OuterChain
    private let limits: StoreLimits
    /// The dispatches to each session: several that are dispatched to at once may come in another order
    /// when the work is done again.
    private let counts = Mutex((last: 0, of: [SessionName: Int]()))
    private static let countedSessions = 4_096

    /// One try of a piece of work.
    init(_ work: WorkChain, limits: StoreLimits = StoreLimits()) {
        self.work = work
        chain = OuterChain(depth: work.depth, tally: work.outer?.tally ?? ChainTally())
        self.limits = limits
    }

    /// The key of the next dispatch to a session: `k3f9x2ab7qzd-42/order/1`.
    func nextKey(to session: SessionName) -> String {
        let number = counts.withLock { counts in
            // Those that are forgotten go on above all that there were.
            if counts.of.count == Self.countedSessions, counts.of[session] == nil {
                counts = (max(counts.last, counts.of.values.max() ?? 0), [:])
            }
            let number = counts.of[session, default: counts.last] + 1
            counts.of[session] = number
            return number
        }
        return "\(work.key)/\(number)"
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
