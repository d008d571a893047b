import JournalRows
public import Journaling
import Redux
import SQLite
import Sodium
import StateCoding

/// Sessions as lines of JSON, to be read, mended and taken elsewhere: a line about each session with the
/// oldest state that is kept, and a line for each entry behind it.
///
///     {"session":"/list/sessions/a","epoch":"k3f9x2ab","created":1795302855000,"version":0, …,"state":{…}}
///     {"version":1,"at":1795302855123,"schema":1,"isLast":true,"head":{…},"patch":[…]}
extension JournalDirectory {
    /// Gives the lines of one session, or of all, while a server may go on.
    ///
    /// - Parameters:
    ///   - withSecrets: in clear; otherwise a session that has some is told as redacted, and is not
    ///     imported, and no idempotency key counts where the others are.
    ///   - write: gets each line.
    /// - Returns: what is damaged, and not among the lines: a sentence each.
    @discardableResult
    public func export(
        _ session: String? = nil, withSecrets: Bool = false, _ progress: Progress = { _, _ in },
        _ write: ([UInt8]) throws -> Void
    ) throws(JournalRefusal) -> [String] {
        try read { books, database in
            var lost: [String] = []
            if try !books.scanPassingDamage(in: database) {
                lost.append("Newest entries are damaged, of sessions that are not known.")
            }
            let filter = session == nil ? "" : " AND name = ?1"
            let values = session.map { [SQLValue.text($0)] } ?? []
            let query = try PreparedQuery(
                "SELECT * FROM session WHERE status = 0\(filter)", in: database)
            var count = 0
            var isWhole = false
            try passDamage {
                try query.each(values) { found in
                    var last: UInt64?
                    count += 1
                    do {
                        var row = try SessionRow(found)
                        let key =
                            withSecrets ? try books.sealing.key(of: row.id, in: database) : nil
                        row.place = try books.head(of: row, in: database).place
                        try row.export(
                            key, withSecrets ? books.journal.hashKey : nil, &last, in: database,
                            write)
                    } catch {
                        guard case .damaged = JournalFailure(error) else { throw error }
                        lost.append(Passage.loss(of: found[1].text, behind: last))
                    }
                    progress(count, 0)
                    return true
                }
                isWhole = true
            }
            if !isWhole { lost.append("Sessions behind a damaged page are not known.") }
            guard session == nil || count > 0 || !lost.isEmpty else {
                throw JournalRefusal("There is no session \(session ?? "") in \(path).")
            }
            return lost
        }
    }

    /// Takes in sessions from lines, all or none.
    ///
    /// - Parameter isReplacing: a session that is there is erased first, and the one in its place has
    ///   another epoch; otherwise the import is refused.
    /// - Returns: the number of sessions, and of those whose idempotency keys do not count any more: they
    ///   were exported without secrets, or this journal hashes keys otherwise and is not empty.
    public func `import`(
        _ lines: some Sequence<[UInt8]>, isReplacing: Bool = false,
        _ progress: Progress = { _, _ in }
    ) throws(JournalRefusal) -> (sessions: Int, withoutKeys: Int) {
        try have { books, database in
            var (sessionCount, keylessCount, lineCount) = (0, 0, 0)
            try books.transact(in: database) { books in
                var session: ImportedSession?
                func finish() throws {
                    try session?.finish(&books, database)
                    if session?.hasLostKeys == true { keylessCount += 1 }
                }
                do {
                    for line in lines {
                        lineCount += 1
                        let value = try JSONValue(line: line.span)
                        if value["session"] != nil {
                            try finish()
                            session = try ImportedSession(value, isReplacing, &books, database)
                            sessionCount += 1
                        } else if try session?.add(value, &books, database) == nil {
                            throw JournalRefusal("it is about no session.")
                        }
                        progress(lineCount, 0)
                    }
                    try finish()
                } catch  where !(error is DatabaseError) {
                    throw JournalRefusal("Line \(lineCount) is not imported: \(error)")
                }
            }
            return (sessionCount, keylessCount)
        }
    }
}

extension SessionRow {
    /// - Parameters:
    ///   - key: opens its secrets; nil where they are left out.
    ///   - last: the version up to which there are lines.
    fileprivate func export(
        _ key: SealingKey?, _ hashKey: [UInt8]?, _ last: inout UInt64?, in database: Database,
        _ write: ([UInt8]) throws -> Void
    ) throws {
        let work = try StoredState.find(id, atMost: .max, in: database)?.work
        try walk(in: database) { passage in
            if last == nil {
                try write(passage.line(of: summary, work, hashKey: hashKey, by: key))
            }
            for row in passage.rows { try write(row.line(by: key)) }
            last = passage.last
        }
    }
}

/// A session on its way in.
private struct ImportedSession {
    /// Nobody waits for a ticket.
    private final class Nobody: AppendReceiver {
        func appended(_ outcomes: [TicketOutcome]) {}
    }

    private let lease: Lease
    private var batches: IncomingBatches
    private let nobody = Nobody()

    var hasLostKeys: Bool { batches.hasLostKeys }

    init(
        _ line: JSONValue, _ isReplacing: Bool, _ books: inout Books, _ database: Database
    ) throws {
        var line = try SessionLine(line)
        let former = try database.first(
            "SELECT id FROM session WHERE name = ?1", .text(line.name.description))
        if let former {
            guard isReplacing else { throw JournalRefusal("\(line.name) is there already.") }
            try books.erase(former[0].integer, in: database)
        }
        let hasKeys = try line.hashKey.map { try books.hashes(by: $0, in: database) } ?? false
        batches = IncomingBatches(&line, hasKeys: hasKeys, isReplacing: former != nil)
        let row = SessionRow(
            name: line.name, epoch: line.epoch, created: line.created,
            place: .init(touched: line.document.lastTime ?? line.created, alarm: line.alarm))
        var snapshot = StoredState(line.document)
        (snapshot.work, snapshot.keys) = (line.work, line.keys)
        lease = try books.make((row, snapshot, line.whole), in: database)
    }

    mutating func add(
        _ line: JSONValue, _ books: inout Books, _ database: Database
    ) throws {
        guard let batch = try batches.add(line) else { return }
        try append(batch, &books, database)
        try books.doUpkeep(besides: 0, in: database)
    }

    private func append(
        _ batch: IncomingBatches.Batch, _ books: inout Books, _ database: Database
    ) throws {
        let append = AppendBatch(
            lease: lease, expected: batch.entries[0].version - 1, count: batch.entries.count,
            schema: batch.schema, receiver: nobody, ticket: 0)
        let outcome = try books.append(
            append, batch.entries, with: StoredEntry.insertion(in: database), in: database)
        if let failure = outcome.failure { throw failure }
    }

    /// Looks whether the patches lead from state to state.
    mutating func finish(_ books: inout Books, _ database: Database) throws {
        let last = try batches.end(at: books.now)
        if let next = batches.epochs?.next { try books.begin(next, of: lease, in: database) }
        if let last { try append(last, &books, database) }
        try books.keep(nil, of: lease, isAsleep: true, in: database)
        let row = try database.first("SELECT * FROM session WHERE id = ?1", .integer(lease.session))
        if let row { _ = try books.check(row, in: database) }
    }
}
