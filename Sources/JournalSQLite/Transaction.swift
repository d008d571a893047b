import JournalRows
import Journaling
import SQLite

/// The jobs of one commit, and who is told what becomes of them.
struct Transaction {
    private var jobs: ArraySlice<WriterJob>
    private var appended: [ToldOutcome] = []
    private var replies: [WriterJob.Reply] = []
    /// The job that runs, or behind the last upkeep; nil outside of both.
    private var running: Int?
    /// The last job, where it has found a page damaged: it is refused.
    private var damaged: Int?
    /// The jobs behind that one, which come next where this transaction is kept.
    private(set) var left: ArraySlice<WriterJob> = []
    /// What has kept it from upkeep, and not from its jobs.
    private(set) var upkeepFailure: JournalFailure?

    init(_ jobs: ArraySlice<WriterJob>) { self.jobs = jobs }

    /// Runs them; afterwards `report` tells everybody. Where upkeep fails, they are run without it.
    /// Where a job finds a page damaged, SQLite commits nothing of the transaction: those before it are
    /// run again, and those behind it are left. So each is run twice at most, however many are damaged.
    ///
    /// What failed before its COMMIT is not kept. A COMMIT that failed may come back after a crash: one
    /// write more overwrites it for good. Where that fails as well, nobody knows.
    mutating func run(
        _ books: inout Books, _ database: Database, hasUpkeep: Bool = true
    ) -> AppendOutcome {
        running = nil
        do throws(TransactionFailure) {
            try books.transact(in: database) { try perform(&$0, database, hasUpkeep) }
            return .kept
        } catch {
            switch error.failure {
            case .heldElsewhere: return .stale
            case _ where running == jobs.endIndex:
                upkeepFailure = error.failure
                if case .damaged = error.failure { books.noteDamagedPage() }
                return run(&books, database, hasUpkeep: false)
            case .damaged where refuseRunning():
                return run(&books, database, hasUpkeep: hasUpkeep)
            case .full, .readOnly: return .refused(error.failure)
            case _ where !error.isCommitting || settle(&books, database):
                return .refused(.unavailable)
            default: return .unknown
            }
        }
    }

    private mutating func perform(
        _ books: inout Books, _ database: Database, _ hasUpkeep: Bool
    ) throws {
        (appended, replies) = ([], [])
        appended.reserveCapacity(jobs.count)
        let insertion = try StoredEntry.insertion(in: database)
        for (index, job) in zip(jobs.indices, jobs) {
            running = index
            switch job {
            case .append(let batch, let entries):
                let outcome: AppendOutcome =
                    damaged == index
                    ? .refused(.damaged(good: nil))
                    : try books.append(batch, entries, with: insertion, in: database)
                appended.append((batch.receiver, (batch.ticket, outcome)))
            case .change(_, let reply) where damaged == index:
                replies.append { _ in reply(.damaged(good: nil)) }
            case .change(let run, _): replies.append(try run(&books, database))
            }
        }
        running = hasUpkeep ? jobs.endIndex : nil
        if hasUpkeep { try books.doUpkeep(besides: jobs.count, in: database) }
        running = nil
    }

    /// False where none runs.
    private mutating func refuseRunning() -> Bool {
        guard let running else { return false }
        let behind = jobs[(running + 1)...]
        left = left.isEmpty ? behind : behind + left
        jobs = jobs[...running]
        damaged = running
        return true
    }

    /// Writes one value more, behind which a commit that failed cannot come back.
    private func settle(_ books: inout Books, _ database: Database) -> Bool {
        let settled: Void? = try? books.transact(in: database) {
            try $0.change(in: database) { $0.settled += 1 }
        }
        return settled != nil
    }

    // MARK: Outcomes

    /// - Parameter outcome: of all; where that is `kept`, each has its own.
    func report(_ outcome: AppendOutcome) {
        guard let failure = outcome.failure else {
            appended.tell()
            return replies.forEach { $0(nil) }
        }
        var outcomes: [ToldOutcome] = []
        for job in [jobs, left].joined() {
            switch job {
            case .append(let batch, _): outcomes.append((batch.receiver, (batch.ticket, outcome)))
            case .change(_, let reply): reply(failure)
            }
        }
        outcomes.tell()
    }
}

extension AppendOutcome {
    /// What those have who wait for something else than a batch.
    var failure: JournalFailure? {
        switch self {
        case .kept: nil
        case .refused(let failure): failure
        case .stale: .heldElsewhere
        case .unknown: .unknown
        }
    }
}

/// A transaction that is not done; one that failed at its end may come back after a crash.
struct TransactionFailure: Error {
    let reason: any Error
    let isCommitting: Bool
    var failure: JournalFailure { JournalFailure(reason) }
}
