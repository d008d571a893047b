import GRDB
import Journaling
import SQLite

/// The jobs of one commit, and what becomes of them.
struct Transaction {
    private let jobs: [WriterJob]
    private var appended: [(receiver: any AppendReceiver, outcome: TicketOutcome)] = []
    private var replies: [@Sendable (JournalFailure?) -> Void] = []
    private var loss: (outcome: AppendOutcome, failure: JournalFailure)?

    init(_ jobs: [WriterJob]) { self.jobs = jobs }

    /// Runs them; afterwards `report` tells everybody.
    ///
    /// - Returns: why the connection is of no use any more, or nil; and that the disk had no room.
    mutating func run(_ books: inout Books, _ database: Database) -> (
        end: Writer.End?, isFull: Bool
    ) {
        do {
            try database.run("BEGIN IMMEDIATE")
            try books.begin(in: database)
            try perform(&books, database)
        } catch {
            return fail(error, isCommitted: false, &books, database)
        }
        do {
            try database.run("COMMIT")
        } catch {
            return fail(error, isCommitted: true, &books, database)
        }
        books.commit()
        return (nil, false)
    }

    private mutating func perform(_ books: inout Books, _ database: Database) throws {
        let insertion = try EntryRow.insertion(in: database)
        for job in jobs {
            switch job {
            case .append(let batch, let entries):
                let outcome = try books.append(batch, entries, with: insertion, in: database)
                appended.append((batch.receiver, (batch.ticket, outcome)))
            case .call(let call): replies.append(try call.run(&books, database))
            }
        }
        try books.doUpkeep(besides: jobs.count, in: database)
    }

    /// What failed before its COMMIT is not kept. A COMMIT that failed may come back after a crash: one
    /// write more overwrites it for good. Where that fails as well, nobody knows.
    private mutating func fail(
        _ error: any Error, isCommitted: Bool, _ books: inout Books, _ database: Database
    ) -> (end: Writer.End?, isFull: Bool) {
        // Some errors have rolled back already.
        try? database.run("ROLLBACK")
        books.rollBack()
        let failure = JournalFailure(error)
        switch failure {
        case .heldElsewhere: loss = (.stale, failure)
        case .full:
            books.upkeep.isDiskFull = true
            loss = (.refused(.full), failure)
        case .readOnly: loss = (.refused(.readOnly), failure)
        default: loss = (.refused(.unavailable), .unavailable)
        }
        guard failure != .heldElsewhere else { return (.lost, false) }
        guard isCommitted, failure != .full else { return (nil, failure == .full) }
        guard !settle(&books, database) else { return (nil, false) }
        loss = (.unknown, .unavailable)
        return (.unknown, false)
    }

    private func settle(_ books: inout Books, _ database: Database) -> Bool {
        do {
            try database.run("BEGIN IMMEDIATE")
            try books.begin(in: database)
            try books.settle(in: database)
            try database.run("COMMIT")
            books.commit()
            return true
        } catch {
            try? database.run("ROLLBACK")
            books.rollBack()
            return false
        }
    }

    // MARK: Outcomes

    func report() {
        if let loss { return report(loss.outcome, loss.failure) }
        tell(appended)
        for reply in replies { reply(nil) }
    }

    /// None of the jobs is done, for one reason.
    func report(_ outcome: AppendOutcome, _ failure: JournalFailure) {
        var calls: [WriterJob.Call] = []
        var appended: [(receiver: any AppendReceiver, outcome: TicketOutcome)] = []
        for job in jobs {
            switch job {
            case .append(let batch, _):
                appended.append((batch.receiver, (batch.ticket, outcome)))
            case .call(let call): calls.append(call)
            }
        }
        tell(appended)
        for reply in replies { reply(failure) }
        for call in calls.dropFirst(replies.count) { call.refuse(failure) }
    }

    /// One call for each receiver.
    private func tell(_ outcomes: [(receiver: any AppendReceiver, outcome: TicketOutcome)]) {
        var groups: [ObjectIdentifier: (any AppendReceiver, [TicketOutcome])] = [:]
        for (receiver, outcome) in outcomes {
            groups[ObjectIdentifier(receiver), default: (receiver, [])].1.append(outcome)
        }
        for (receiver, outcomes) in groups.values { receiver.appended(outcomes) }
    }
}
