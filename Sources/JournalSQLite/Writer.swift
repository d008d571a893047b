import Bytes
import Journaling
import SQLite
import Threads

/// What the writer is asked for.
enum WriterJob: Sendable {
    /// What tells somebody how it has ended.
    typealias Reply = @Sendable (JournalFailure?) -> Void

    case append(AppendBatch, [EncodedEntry])
    /// A change that somebody waits for: `reply` says that it was not tried, and what `run` returns how
    /// its transaction has ended.
    case change(run: @Sendable (inout Books, Database) throws -> Reply, reply: Reply)
}

/// The one thread that writes. It takes what has come since its last commit, and never waits for more
/// to come.
final class Writer: Sendable {
    /// What has come, and whether more may.
    private struct Inbox {
        var jobs: [WriterJob] = []
        var byteCount = 0
        /// What is said at once, without trying.
        var outcome: AppendOutcome?
        var isClosing = false
        /// The thread has gone to work at this instant; nil while it waits.
        var begun: Instant?
        var status = JournalStatus()
        /// Those who wait for the end; nil behind it.
        var closed: [CheckedContinuation<Void, Never>]? = []

        var isFull: Bool { byteCount >= 16 << 20 || jobs.count >= 65_536 }

        mutating func takeJobs() -> [WriterJob] {
            defer { (jobs, byteCount) = ([], 0) }
            return jobs
        }
    }

    /// Longer pauses between checkpoints make the longest of them longer.
    private static let checkpointByteCount = 4 << 20
    /// Transactions in which a stop goes on erasing, 256 entries each; the next start does the rest.
    private static let lastSliceCount = 100

    private let inbox = Monitor(Inbox())
    private let folder: DataFolder
    private let options: SQLiteJournal.Options

    /// Begins on an open connection.
    init(
        _ connection: WritingConnection, _ folder: DataFolder, _ options: SQLiteJournal.Options
    ) throws(ThreadRefusal) {
        self.folder = folder
        self.options = options
        inbox.withLock { $0.status = connection.books.status }
        try NamedThread.start(name: "journal") { self.run(connection) }
    }

    // MARK: From any thread

    /// Nil: the receiver gets the outcome.
    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        let byteCount = entries.reduce(batch.state?.count ?? 0) { $0 + $1.byteCount }
        return inbox.withLock { inbox in
            if let outcome = inbox.outcome { return outcome }
            if inbox.isFull { return .refused(.busy) }
            inbox.jobs.append(.append(batch, entries))
            inbox.byteCount += byteCount
            if inbox.jobs.count == 1 { self.inbox.wakeOne() }
            return nil
        }
    }

    /// Makes a change in the next transaction, and answers once that is committed. A failure is the
    /// asker's alone, and nothing of the change is kept; SQLite's end the transaction, and so does a
    /// damaged page.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout Books, Database) throws -> Value
    ) async throws(JournalFailure) -> Value {
        let result: Result<Value, JournalFailure> = await withCheckedContinuation { waiting in
            let job = WriterJob.change { books, database in
                var result: Result<Value, JournalFailure>
                do {
                    result = .success(
                        try books.attempt(in: database) { try body(&$0, database) })
                } catch  where !(error is DatabaseError) {
                    result = .failure(JournalFailure(error))
                }
                return { [result] failure in
                    waiting.resume(returning: failure.map { .failure($0) } ?? result)
                }
            } reply: { failure in
                waiting.resume(returning: .failure(failure ?? .unavailable))
            }
            let outcome = inbox.withLock { inbox in
                if inbox.outcome == nil { inbox.jobs.append(job) }
                return inbox.outcome
            }
            guard let outcome else { return inbox.wakeOne() }
            waiting.resume(returning: .failure(outcome.failure ?? .unavailable))
        }
        return try result.get()
    }

    /// Takes in nothing more, and waits until the thread has finished what was taken in.
    func close() async {
        await withCheckedContinuation { waiting in
            let isClosed = inbox.withLock { inbox in
                inbox.outcome = inbox.outcome ?? .refused(.unavailable)
                inbox.isClosing = true
                inbox.closed?.append(waiting)
                return inbox.closed == nil
            }
            inbox.wakeAll()
            if isClosed { waiting.resume() }
        }
    }

    var isBusy: Bool { inbox.withLock { $0.isFull } }

    /// Of the thread as it stands.
    var status: JournalStatus {
        inbox.withLock { inbox in
            var status = inbox.status
            status.isAvailable = inbox.outcome == nil
            status.pendingDuration = inbox.begun?.duration(to: .read()) ?? .zero
            return status
        }
    }

    // MARK: On the thread

    private func run(_ first: WritingConnection) {
        var connection: WritingConnection? = first
        while let open = connection {
            var books = open.books
            let outcome = serve(&books, open.database)
            open.database.close()
            connection = outcome == .unknown ? reopen() : nil
        }
        let waiting = inbox.withLock { $0.closed.take() }
        for waiting in waiting ?? [] { waiting.resume() }
    }

    /// Tries each second until the database is there again; nil where the journal closes meanwhile.
    private func reopen() -> WritingConnection? {
        while true {
            let pause = Instant.read().advanced(by: .seconds(1))
            let isClosing = inbox.wait(until: pause) { $0.isClosing ? true : nil }
            guard isClosing == nil else { return nil }
            inbox.withLock { $0.begun = .read() }
            guard var connection = try? WritingConnection(folder, options) else { continue }
            inbox.withLock { inbox in
                if !inbox.isClosing { inbox.outcome = nil }
                connection.books.status.lead = inbox.status.lead
            }
            return connection
        }
    }

    /// - Returns: the outcome that has ended it; nil where everything is written.
    private func serve(_ books: inout Books, _ database: Database) -> AppendOutcome? {
        var check = Instant.read()
        // Neither is tried before it.
        var (upkeep, truncation) = (check, check)
        var (isDiskFull, lastSlices) = (false, Self.lastSliceCount)
        var left: ArraySlice<WriterJob> = []
        while true {
            let now = Instant.read()
            if now >= check {
                checkDisk(isFull: isDiskFull, &books, database)
                check = now.advanced(by: .seconds(60))
            }
            let isPending = books.upkeep.isPending && now >= upkeep
            let deadline = min(
                check, books.upkeep.isPending ? upkeep : check,
                books.upkeep.truncatesLog ? truncation : check)
            let (jobs, isClosing) =
                left.isEmpty ? take(until: isPending ? nil : deadline) : (left, false)
            if jobs.isEmpty, isClosing {
                lastSlices -= 1
                guard books.upkeep.isScrubbing, lastSlices > 0 else {
                    // Where it fails, the next start looks for what it has not written.
                    try? books.finish(in: database)
                    return nil
                }
            }
            guard !jobs.isEmpty || isPending else {
                checkpoint(&books, database, notBefore: &truncation)
                continue
            }
            var transaction = Transaction(jobs)
            let (start, hasUpkeep) = (Instant.read(), now >= upkeep)
            let outcome = transaction.run(&books, database, hasUpkeep: hasUpkeep)
            note(start.duration(to: .read()), hasUpkeep ? .some(transaction.upkeepFailure) : nil)
            let failure = outcome.failure ?? transaction.upkeepFailure
            if failure != nil { upkeep = .read().advanced(by: .seconds(1)) }
            isDiskFull = failure == .full
            if isDiskFull { check = .read() }
            if outcome == .stale || outcome == .unknown {
                stop(outcome)
                transaction.report(outcome)
                return outcome
            }
            transaction.report(outcome)
            left = outcome == .kept ? transaction.left : []
            checkpoint(&books, database, notBefore: &truncation)
        }
    }

    /// - Parameter upkeep: nil where none was done.
    private func note(_ commit: Duration, _ upkeep: JournalFailure??) {
        inbox.withLock { inbox in
            if let upkeep { inbox.status.upkeepFailure = upkeep }
            inbox.status.commitCount += 1
            inbox.status.commitDuration += commit
        }
    }

    /// - Parameter deadline: nil where there is other work.
    private func take(until deadline: Instant?) -> (jobs: ArraySlice<WriterJob>, isClosing: Bool) {
        let look: (inout Inbox) -> (ArraySlice<WriterJob>, Bool)? = { inbox in
            let isIdle = inbox.jobs.isEmpty && !inbox.isClosing
            inbox.begun = isIdle ? nil : .read()
            return isIdle ? nil : (inbox.takeJobs()[...], inbox.isClosing)
        }
        let found =
            if let deadline { inbox.wait(until: deadline, for: look) } else {
                inbox.withLock { look(&$0) }
            }
        // What nobody waits for may hang as well.
        if found == nil { inbox.withLock { $0.begun = .read() } }
        return found ?? ([], false)
    }

    /// Nothing is tried from here on, and what has come is refused, before anybody is told why.
    private func stop(_ outcome: AppendOutcome) {
        let refusal = outcome == .unknown ? .refused(.unavailable) : outcome
        let jobs = inbox.withLock { inbox in
            (inbox.outcome, inbox.begun) = (refusal, nil)
            return inbox.takeJobs()
        }
        Transaction(jobs[...]).report(refusal)
    }

    /// Gives up the reserve where the disk is full, takes it again where it is not, and looks for
    /// entries that have to go.
    private func checkDisk(isFull: Bool, _ books: inout Books, _ database: Database) {
        if isFull { folder.releaseReserve() } else { folder.fillReserve() }
        // What cannot be read now is looked at in a minute.
        try? books.checkSize(isDiskFull: isFull, in: database)
    }

    /// Between commits: no answer waits for it. Where it fails, the next one does its work.
    private func checkpoint(
        _ books: inout Books, _ database: Database, notBefore truncation: inout Instant
    ) {
        let isTruncating = books.upkeep.truncatesLog && Instant.read() >= truncation
        guard isTruncating || books.upkeep.logByteCount >= Self.checkpointByteCount else {
            return
        }
        books.upkeep.logByteCount = 0
        if isTruncating {
            books.upkeep.truncatesLog = !truncate(database)
            truncation = .read().advanced(by: .seconds(1))
        } else {
            try? database.run("PRAGMA wal_checkpoint(PASSIVE)")
        }
    }

    /// False where a reader still has what is in the log: it is not waited for.
    private func truncate(_ database: Database) -> Bool {
        try? database.execute("PRAGMA busy_timeout = 0")
        defer { try? database.execute("PRAGMA busy_timeout = 1000") }
        let found = try? database.first("PRAGMA wal_checkpoint(TRUNCATE)")
        return found?[0].integer == 0
    }
}
