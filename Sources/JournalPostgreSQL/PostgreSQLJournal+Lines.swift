import Bytes
import JournalRows
public import Journaling
import PostgreSQL
import Redux
import StateCoding
import Threads

/// What can be done with a journal as a whole, while servers have it.
extension PostgreSQLJournal {
    /// What a check has found.
    public typealias Check = (
        sessions: Int, entries: Int, erasures: Int, damaged: [(session: String, good: UInt64?)]
    )

    /// Reads everything once: sums, versions without gaps, and kept states against patches byte by byte.
    public func check(
        _ progress: (_ done: Int) -> Void = { _ in }
    ) async throws(JournalFailure) -> Check {
        var found: Check = (0, 0, 0, [])
        try await eachSession { (name, session) throws(JournalFailure) in
            do throws(JournalFailure) {
                try await walk(session.get()) { passage, _ in found.entries += passage.rows.count }
            } catch .damaged(let good) {
                found.damaged.append((name, good))
            }
            found.sessions += 1
            progress(found.sessions)
        }
        let left = try await run(statements.forgottenCount(), on: .past).first
        found.erasures = Int(left?.number(0) ?? 0)
        return found
    }

    /// Gives the lines of one session, or of all.
    ///
    /// - Parameter withSecrets: in clear; otherwise a session that has some is told as redacted, and is not
    ///   imported, and no idempotency key counts where the others are.
    /// - Returns: the number of sessions, and what is damaged, and not among the lines: a sentence each.
    public func export(
        _ only: String? = nil, withSecrets: Bool = false, _ write: ([UInt8]) -> Void
    ) async throws(JournalFailure) -> (sessions: Int, lost: [String]) {
        var (count, lost): (Int, [String]) = (0, [])
        try await eachSession(only) { (name, session) throws(JournalFailure) in
            count += 1
            var written: UInt64?
            do throws(JournalFailure) {
                let session = try session.get()
                let key = withSecrets ? try session.key(by: master) : nil
                let work = try await read(
                    session, around: session.version, isWhole: false, on: .past
                ).base.work
                try await walk(session) { (passage, isFirst) throws(JournalFailure) in
                    if isFirst {
                        write(
                            try passage.line(
                                of: session.summary, work, hashKey: withSecrets ? salt : nil,
                                by: key))
                    }
                    for row in passage.rows { write(try row.line(by: key)) }
                    written = passage.last
                }
            } catch .damaged {
                lost.append(Passage.loss(of: name, behind: written))
            }
        }
        return (count, lost)
    }

    private func eachSession(
        _ only: String? = nil,
        _ body: (String, Result<StoredSession, JournalFailure>) async throws(JournalFailure) -> Void
    ) async throws(JournalFailure) {
        var last = ""
        while true {
            let call =
                only.map { statements.find(.text($0)) }
                ?? statements.sessions(.text(last), .integer(256))
            let rows = try await run(call, on: .past)
            for row in rows {
                last = row.text(1)
                let session = Result { () throws(JournalFailure) in try StoredSession(row) }
                try await body(last, session)
            }
            if rows.isEmpty || only != nil { return }
        }
    }

    /// Its passages from the oldest on: each ends with the state that the next one begins with.
    private func walk(
        _ session: StoredSession, _ body: (Passage, _ isFirst: Bool) throws(JournalFailure) -> Void
    ) async throws(JournalFailure) {
        let oldest = try await run(statements.oldest(.integer(session.id)), on: .past)
        var version = oldest.first?.version(0) ?? 0
        var end: (document: StoredDocument, chain: UInt32)?
        while true {
            let passage = try await read(session, around: version, on: .past)
            let isFirst = end == nil
            try passage.follow(&end)
            try body(passage, isFirst)
            guard passage.last > version, passage.last < session.version else { return }
            version = passage.last
        }
    }

    // MARK: Importing

    /// Takes in sessions from lines, each whole or not at all.
    ///
    /// - Parameter isReplacing: a session that is there is erased first, and the one in its place has
    ///   another epoch; otherwise the import ends there.
    /// - Returns: the number of sessions, and of those whose idempotency keys do not count any more: they
    ///   were exported without secrets, or this journal hashes keys otherwise and is not empty.
    public static func `import`(
        _ lines: some Sequence<[UInt8]>, into address: String, options: Options = Options(),
        isReplacing: Bool = false
    ) async throws(JournalRefusal) -> (sessions: Int, withoutKeys: Int) {
        var (found, number, journal) = ((sessions: 0, withoutKeys: 0), 0, nil as PostgreSQLJournal?)
        var session: IncomingSession?
        do {
            for line in lines {
                number += 1
                let value = try JSONValue(line: line.span)
                guard value["session"] != nil else {
                    guard try session?.add(value) != nil else {
                        throw JournalRefusal("it is about no session.")
                    }
                    continue
                }
                try await session?.finish(&found)
                session = nil
                let line = try SessionLine(value)
                if journal == nil {
                    var options = options
                    options.hashKey = line.hashKey
                    journal = try PostgreSQLJournal(address, options: options)
                }
                if let journal { session = try await IncomingSession(line, journal, isReplacing) }
            }
            try await session?.finish(&found)
            await journal?.close()
            return found
        } catch {
            // Nothing of it stays, unless the journal is away.
            if let session { try? await journal?.erase(session.name, freesName: true) }
            await journal?.close()
            throw JournalRefusal("Line \(number) is not imported: \(error)")
        }
    }
}

/// A session on its way in.
private struct IncomingSession {
    private final class Receiver: AppendReceiver {
        let outcome = Monitor<AppendOutcome?>(nil)

        func appended(_ outcomes: [TicketOutcome]) {
            outcome.withLock { $0 = outcomes.last?.outcome }
            outcome.wakeAll()
        }
    }

    private let journal: PostgreSQLJournal
    let name: SessionName
    private let lease: Lease
    private var batches: IncomingBatches

    init(_ line: SessionLine, _ journal: PostgreSQLJournal, _ isReplacing: Bool) async throws {
        var line = line
        (self.journal, name) = (journal, line.name)
        let former = try await journal.run(journal.statements.find(.text(name.description)))
        let isReplacing = isReplacing && !former.isEmpty
        do {
            if isReplacing { try await journal.erase(name, freesName: true) }
        } catch .heldElsewhere {
            throw JournalRefusal("\(name) is in use: a server has it.")
        }
        batches = IncomingBatches(
            &line, hasKeys: line.hashKey == journal.salt, isReplacing: isReplacing)
        var state = StoredState(line.document, chain: StoredSession.sum(name, line.epoch))
        (state.work, state.keys) = (line.work, line.keys)
        let new = NewSession(
            epoch: line.epoch, created: line.created, schema: line.document.schema,
            alarm: line.alarm
        ) { [] }
        let made = try await journal.make(
            name, new, state, whole: line.whole, journal.life.id())
        guard let made else { throw JournalRefusal("\(name) is there already.") }
        lease = made
    }

    mutating func add(_ line: JSONValue) throws {
        if let batch = try batches.add(line) { try append(batch) }
    }

    private func append(_ batch: IncomingBatches.Batch) throws {
        let receiver = Receiver()
        let given = AppendBatch(
            lease: lease, expected: batch.entries[0].version - 1, count: batch.entries.count,
            schema: batch.schema, receiver: receiver, ticket: 0)
        let outcome = journal.append(given, batch.entries) ?? receiver.outcome.wait { $0 }
        guard outcome == .kept else { throw JournalRefusal("its session is \(outcome).") }
    }

    /// Looks whether the patches lead from state to state.
    mutating func finish(_ found: inout (sessions: Int, withoutKeys: Int)) async throws {
        let last = try batches.end(at: Instant.readWallClock())
        if let next = batches.epochs?.next { try await journal.begin(next, of: lease) }
        if let last { try append(last) }
        try await journal.keep(nil, of: lease, isAsleep: true)
        let check = try await journal.document(of: name, at: batches.version)
        found.sessions += check.version == batches.version ? 1 : 0
        found.withoutKeys += batches.hasLostKeys ? 1 : 0
    }
}
