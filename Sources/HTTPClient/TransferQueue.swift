internal import DequeModule

/// The requests that wait for a transfer, and the number of each owner's that run. Owners take
/// turns, so that an owner with a thousand requests delays another one's by a single request.
///
/// Requests without an owner are those of the program itself: they take turns with the owners as
/// if they were one, and are bounded by the limits in all only.
///
/// Every operation takes the time of the owners that are passed over because they run as many as
/// they may (fewer than `transferLimit / ownerTransferLimit`), but for `removeExpired` and `firstDeadline`,
/// which look at all that waits.
struct TransferQueue: Sendable {
    private struct Share: Sendable {
        var waiting: Deque<TransferJob> = []
        var runningCount = 0

        var count: Int { waiting.count + runningCount }
    }

    private let configuration: HTTPClientConfiguration
    private var shares: [String?: Share] = [:]
    /// The owners that have something waiting, the next one first.
    private var turns: Deque<String?> = []
    private var waitingCount = 0
    private var runningCount = 0

    init(_ configuration: HTTPClientConfiguration) {
        self.configuration = configuration
    }

    /// True where nothing waits and nothing runs.
    var isEmpty: Bool { shares.isEmpty }

    /// Lets a job wait, behind those of its owner.
    mutating func enqueue(_ job: TransferJob) throws(HTTPClientError) {
        let owner = job.request.owner
        let limit = configuration.transferLimit + configuration.queueLimit
        guard waitingCount + runningCount < limit else { throw .overloaded(limit: limit) }
        let share = shares[owner] ?? Share()
        let limitOfOwner = configuration.ownerTransferLimit + configuration.ownerQueueLimit
        guard owner == nil || share.count < limitOfOwner else {
            throw .ownerOverloaded(limit: limitOfOwner)
        }
        if share.waiting.isEmpty { turns.append(owner) }
        shares[owner, default: Share()].waiting.append(job)
        waitingCount += 1
    }

    /// Takes out the next job to run; nil where nothing waits that may run.
    mutating func startNext() -> TransferJob? {
        guard runningCount < configuration.transferLimit else { return nil }
        for _ in 0..<turns.count {
            let owner = turns.removeFirst()
            guard var share = shares[owner], !share.waiting.isEmpty else { continue }
            guard owner == nil || share.runningCount < configuration.ownerTransferLimit else {
                turns.append(owner)
                continue
            }
            let job = share.waiting.removeFirst()
            share.runningCount += 1
            waitingCount -= 1
            runningCount += 1
            if !share.waiting.isEmpty { turns.append(owner) }
            shares[owner] = share
            return job
        }
        return nil
    }

    /// Counts one of an owner's as no longer running.
    mutating func end(of owner: String?) {
        guard var share = shares[owner], share.runningCount > 0 else {
            preconditionFailure("More transfers have ended than were started.")
        }
        share.runningCount -= 1
        runningCount -= 1
        keep(share, of: owner)
    }

    /// Takes out a job that waits; nil where it does not.
    mutating func remove(_ id: UInt64, of owner: String?) -> TransferJob? {
        guard var share = shares[owner],
            let index = share.waiting.firstIndex(where: { $0.id == id })
        else { return nil }
        let job = share.waiting.remove(at: index)
        waitingCount -= 1
        keep(share, of: owner)
        return job
    }

    /// Takes out all jobs whose deadline has come.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [TransferJob] {
        remove { $0.deadline <= now }
    }

    /// Takes out all jobs that wait.
    mutating func removeAll() -> [TransferJob] {
        remove { _ in true }
    }

    /// The first deadline of what waits.
    var firstDeadline: ContinuousClock.Instant? {
        turns.compactMap { shares[$0]?.waiting.map(\.deadline).min() }.min()
    }

    private mutating func remove(where isWanted: (TransferJob) -> Bool) -> [TransferJob] {
        guard waitingCount > 0 else { return [] }
        var removed: [TransferJob] = []
        for owner in Array(turns) {
            guard var share = shares[owner] else { continue }
            removed += share.waiting.filter(isWanted)
            share.waiting.removeAll(where: isWanted)
            keep(share, of: owner)
        }
        waitingCount -= removed.count
        return removed
    }

    /// Puts a share back, or forgets an owner that has nothing left.
    private mutating func keep(_ share: Share, of owner: String?) {
        if share.waiting.isEmpty { turns.removeAll { $0 == owner } }
        shares[owner] = share.count == 0 ? nil : share
    }
}
