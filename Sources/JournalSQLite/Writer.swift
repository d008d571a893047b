import Accounting
import GRDB
import Journaling
import Redux
import SQLite
import Threads

/// What the writer is asked for.
enum WriterJob: Sendable {
    case append(AppendBatch, [EncodedEntry])
    case call(Call)

    /// A change that somebody waits for.
    struct Call: Sendable {
        /// Makes the change within a transaction; what it returns is called once that has ended.
        let run: @Sendable (inout Books, Database) throws -> @Sendable (JournalFailure?) -> Void
        /// It is not tried.
        let refuse: @Sendable (JournalFailure) -> Void
    }

    var byteCount: Int {
        switch self {
        case .append(_, let entries): entries.reduce(0) { $0 + $1.byteCount }
        case .call: 0
        }
    }
}

/// The one thread that writes. It takes what has come since its last commit, at most 4 MiB, and never
/// waits for more to come.
final class Writer: Sendable {
    /// What has come, and whether more may.
    private struct Inbox {
        var jobs: [WriterJob] = []
        var byteCount = 0
        /// What is said at once, without trying.
        var outcome: AppendOutcome?
        var isClosing = false
        /// Those who wait for the end; nil behind it.
        var closed: [CheckedContinuation<Void, Never>]? = []

        /// The oldest jobs, as many as one commit may have.
        mutating func take() -> [WriterJob] {
            var count = jobs.count
            if byteCount > Writer.commitByteCount {
                var sum = 0
                count =
                    jobs.prefix { job in
                        defer { sum += job.byteCount }
                        return sum < Writer.commitByteCount
                    }.count
            }
            let taken = Array(jobs.prefix(count))
            jobs.removeFirst(count)
            byteCount -= taken.reduce(0) { $0 + $1.byteCount }
            return taken
        }
    }

    private static let commitByteCount = 4 << 20
    /// 4 MiB: longer pauses between checkpoints make the longest of them longer.
    private static let checkpointPageCount = 1_000
    /// Transactions in which a stop goes on erasing, 256 entries each; the next start does the rest.
    private static let lastSliceCount = 100
    private static let inboxByteCount = 16 << 20
    private static let inboxCount = 65_536

    private let inbox = Monitor(Inbox())
    private let folder: DataFolder
    private let options: SQLiteJournal.Options

    /// Begins on an open connection.
    init(
        _ connection: WritingConnection, _ folder: DataFolder, _ options: SQLiteJournal.Options
    ) throws(ThreadRefusal) {
        self.folder = folder
        self.options = options
        try NamedThread.start(name: "journal") { self.run(connection) }
    }

    // MARK: From any thread

    /// Nil: the receiver gets the outcome.
    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        let byteCount = entries.reduce(0) { $0 + $1.byteCount }
        return inbox.withLock { inbox in
            if let outcome = inbox.outcome { return outcome }
            guard inbox.byteCount + byteCount <= Self.inboxByteCount || inbox.jobs.isEmpty,
                inbox.jobs.count < Self.inboxCount
            else { return .refused(.busy) }
            inbox.jobs.append(.append(batch, entries))
            inbox.byteCount += byteCount
            if inbox.jobs.count == 1 { self.inbox.wakeOne() }
            return nil
        }
    }

    /// Makes a change in the next transaction, and answers once that is committed.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout Books, Database) throws -> Value
    ) async throws(JournalFailure) -> Value {
        let result: Result<Value, JournalFailure> = await withCheckedContinuation { waiting in
            post(
                WriterJob.Call { books, database in
                    let result = try Self.result { try body(&books, database) }
                    return { failure in
                        waiting.resume(returning: failure.map { .failure($0) } ?? result)
                    }
                } refuse: { failure in
                    waiting.resume(returning: .failure(failure))
                })
        }
        return try result.get()
    }

    /// A failure that only the one who asked has; others end the transaction.
    private static func result<Value>(
        _ body: () throws -> Value
    ) throws -> Result<Value, JournalFailure> {
        do {
            return .success(try body())
        } catch let failure as JournalFailure {
            return .failure(failure)
        }
    }

    private func post(_ call: WriterJob.Call) {
        let outcome = inbox.withLock { inbox in
            if inbox.outcome == nil { inbox.jobs.append(.call(call)) }
            return inbox.outcome
        }
        guard let outcome else { return inbox.wakeOne() }
        call.refuse(outcome == .stale ? .heldElsewhere : .unavailable)
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

    // MARK: On the thread

    enum End {
        /// Everything is written.
        case closed
        /// Nobody knows what the last commit has done.
        case unknown
        /// Another server has the folder.
        case lost
    }

    private func run(_ first: WritingConnection) {
        var connection = first
        while true {
            let (end, books) = connection.queue.writeWithoutTransaction { database in
                var books = connection.books
                let end = serve(&books, database)
                return (end, books)
            }
            try? connection.queue.close()
            guard end == .unknown, let next = reopen(books) else { break }
            connection = next
        }
        let waiting = inbox.withLock { $0.closed.take() }
        for waiting in waiting ?? [] { waiting.resume() }
    }

    /// Tries each second until the database is there again; nil where the journal closes meanwhile.
    private func reopen(_ former: Books) -> WritingConnection? {
        while true {
            let pause = Instant.read().advanced(by: .seconds(1))
            let isClosing = inbox.wait(until: pause) { $0.isClosing ? true : nil }
            guard isClosing == nil else { return nil }
            guard var connection = try? WritingConnection(folder, options) else { continue }
            connection.books.takeOver(former)
            inbox.withLock { $0.outcome = nil }
            return connection
        }
    }

    private func serve(_ books: inout Books, _ database: Database) -> End {
        var check = Instant.read()
        var lastSlices = Self.lastSliceCount
        while true {
            if Instant.read() >= check {
                checkDisk(&books, database)
                check = Instant.read().advanced(by: .seconds(60))
            }
            let isPending = books.upkeep.isPending
            let (jobs, isClosing) = take(until: isPending ? nil : check)
            if jobs.isEmpty, isClosing {
                lastSlices -= 1
                guard !books.upkeep.scrubs.isEmpty, lastSlices > 0 else {
                    return finish(&books, database)
                }
            }
            guard !jobs.isEmpty || isPending else { continue }
            var transaction = Transaction(jobs)
            let result = transaction.run(&books, database)
            if result.isFull { check = .read() }
            if let end = result.end { stop(end) }
            transaction.report()
            if let end = result.end { return end }
            checkpoint(&books, database)
        }
    }

    /// - Parameter deadline: nil where there is other work.
    private func take(until deadline: Instant?) -> (jobs: [WriterJob], isClosing: Bool) {
        let look: (inout Inbox) -> ([WriterJob], Bool)? = { inbox in
            inbox.jobs.isEmpty && !inbox.isClosing ? nil : (inbox.take(), inbox.isClosing)
        }
        let found =
            if let deadline { inbox.wait(until: deadline, for: look) } else {
                inbox.withLock { look(&$0) }
            }
        return found ?? ([], false)
    }

    /// Nothing is tried from here on, and what has come is refused, before anybody is told why.
    private func stop(_ end: End) {
        let outcome: AppendOutcome = end == .lost ? .stale : .refused(.unavailable)
        let jobs = inbox.withLock { inbox in
            inbox.outcome = outcome
            defer { (inbox.jobs, inbox.byteCount) = ([], 0) }
            return inbox.jobs
        }
        let transaction = Transaction(jobs)
        transaction.report(outcome, end == .lost ? .heldElsewhere : .unavailable)
    }

    /// Gives up the reserve where the disk is full, takes it again where it is not, and looks for
    /// entries that have to go.
    private func checkDisk(_ books: inout Books, _ database: Database) {
        if books.upkeep.isDiskFull {
            folder.releaseReserve()
        } else {
            folder.fillReserve()
        }
        // What cannot be read now is looked at in a minute.
        try? books.checkSize(now: options.now(), in: database)
        books.upkeep.isDiskFull = false
    }

    /// Between commits: no answer waits for it. Where it fails, the next one does its work.
    private func checkpoint(_ books: inout Books, _ database: Database) {
        let isTruncating = books.upkeep.truncatesLog
        guard isTruncating || books.upkeep.pageCount >= Self.checkpointPageCount else { return }
        books.upkeep.pageCount = 0
        books.upkeep.truncatesLog = false
        try? database.run("PRAGMA wal_checkpoint(\(isTruncating ? "TRUNCATE" : "PASSIVE"))")
    }

    /// A clean stop leaves nothing to look for.
    private func finish(_ books: inout Books, _ database: Database) -> End {
        do {
            try database.run("BEGIN IMMEDIATE")
            try books.begin(in: database)
            try books.flushAll(in: database)
            try database.run("COMMIT")
            try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // The next start looks for it.
            try? database.run("ROLLBACK")
        }
        return .closed
    }
}
