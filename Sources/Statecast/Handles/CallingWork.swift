import Redux
import Synchronization

/// The work, or the effect, in which sessions are used: what it dispatches goes on with its chain of
/// causes, and has keys made from its own.
final class CallingWork: Sendable {
    /// The same for each try of the work, and after a restart.
    private let key: String
    private let chain: OuterChain
    private let limits: StoreLimits
    private let elapsed: @Sendable () -> Duration
    private let number = Atomic<Int>(0)

    /// One try of a piece of work.
    ///
    /// - Parameters:
    ///   - depth: the causes before what it dispatches, its own entry among them.
    ///   - outer: the part of these that lies in other sessions, where there is one.
    ///   - elapsed: the time since it has begun: after a while it begins a new chain.
    init(
        key: String, depth: Int, after outer: OuterChain?, limits: StoreLimits = StoreLimits(),
        elapsed: @escaping @Sendable () -> Duration
    ) {
        precondition(depth >= 0, "A chain of causes has a length.")
        self.key = key
        chain = OuterChain(depth: depth, tally: outer?.tally ?? ChainTally())
        self.limits = limits
        self.elapsed = elapsed
    }

    /// One try of a piece of work.
    convenience init(_ chain: WorkChain) {
        self.init(
            key: chain.key, depth: chain.depth, after: chain.outer, elapsed: chain.elapsed)
    }

    /// The key of the next dispatch: `k3f9x2ab7qzd-42/order/1`.
    func nextKey() -> String {
        "\(key)/\(number.add(1, ordering: .relaxed).newValue)"
    }

    /// The chain for one more dispatch; throws where it is as long as allowed, or has led to as much.
    func enterChain() throws(SessionError) -> OuterChain {
        guard elapsed() < limits.quietDuration else {
            return OuterChain(depth: 0, tally: ChainTally())
        }
        guard chain.depth < limits.chainLength,
            chain.tally.tryEnter(limit: limits.followingActions)
        else { throw .rejected(.chainCut) }
        return chain
    }
}
