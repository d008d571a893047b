package import Sockets

/// Decides for every system call made through `SystemCalls(faults: plan.next)` whether it fails: tests
/// replay each fault at the n-th call, until none fails.
///
///     var n = 0
///     repeat {
///         n += 1
///         plan = FaultPlan(.failure(.connectionReset), at: n, of: .receive)
///         …one run of the scenario…
///     } while plan.hitCount > 0
///
/// Thread-safe.
package final class FaultPlan: Sendable {
    private struct Tally: Sendable {
        var counts: [SystemCall: Int] = [:]
        var hits = 0
    }

    private let decide: @Sendable (SystemCall, Int) -> Fault?
    private let tally = Lock(Tally())

    /// A plan that asks `decide` with the call and how many of its kind there have been, from 1.
    /// The closure runs on the calling thread, with no lock held.
    package init(_ decide: @escaping @Sendable (SystemCall, Int) -> Fault?) {
        self.decide = decide
    }

    /// One fault, at the `number`-th (from 1) call of this kind.
    package convenience init(_ fault: Fault, at number: Int, of call: SystemCall) {
        self.init { $0 == call && $1 == number ? fault : nil }
    }

    /// The number of faults that have happened.
    package var hitCount: Int {
        tally.withLock { $0.hits }
    }

    /// The number of calls of this kind that were asked about, failed ones and retries included.
    package func count(of call: SystemCall) -> Int {
        tally.withLock { $0.counts[call, default: 0] }
    }

    /// The fault of the call about to be made.
    package func next(_ call: SystemCall) -> Fault? {
        let number = tally.withLock { tally in
            tally.counts[call, default: 0] += 1
            return tally.counts[call, default: 0]
        }
        guard let fault = decide(call, number) else { return nil }
        tally.withLock { $0.hits += 1 }
        return fault
    }
}
