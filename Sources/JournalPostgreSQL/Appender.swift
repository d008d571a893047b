import Bytes
import JournalRows
import Journaling
import PostgreSQL
import Redux
import Sodium
import Threads

/// The sessions that are open here, and the entries on their way: one transaction takes all that has
/// come since the last, and never waits for more to come.
final class Appender: Sendable {
    /// What is known of them. Changed by whoever opens, keeps and ends sessions.
    struct Inbox {
        /// The sessions that are open here.
        fileprivate var heads: [Int64: StoredSession] = [:]
        /// The versions that were kept of sessions whose heads were lost.
        fileprivate var (former, earlier): ([Int64: UInt64], [Int64: UInt64]) = ([:], [:])
        fileprivate var waiting: [Waiting] = []
        fileprivate var byteCount = 0
        fileprivate var isRunning = false
        fileprivate var begun: Instant?
        /// What is said at once.
        var refusal: JournalFailure?
        var isFull = false
        var status = JournalStatus()
        /// Transactions that take one session each, to find the one that is refused.
        fileprivate var singleCount = 0
        /// Sessions that want a state to be kept, with one that is known.
        fileprivate var wanted: WantedStates = [:]
    }

    fileprivate struct Waiting {
        let batch: AppendBatch
        let entries: [EncodedEntry]
        let entryByteCount: Int

        /// Of the entries, and of the state where that is known.
        var byteCount: Int { entryByteCount + (batch.state?.count ?? 0) }
    }

    fileprivate static let (inboxByteCount, inboxCount) = (16 << 20, 65_536)
    fileprivate static let (transactionByteCount, sessionCount) = (4 << 20, 512)
    fileprivate static let formerCount = 50_000

    let inbox = Lock(Inbox())
    private let thread: DatabaseThread
    private let statement: Statement
    private let master: SealingKey?

    init(_ thread: DatabaseThread, _ statement: Statement, _ master: SealingKey?) {
        (self.thread, self.statement, self.master) = (thread, statement, master)
    }

    // MARK: From any thread

    /// A session for who has its newest lease.
    func session(_ lease: Lease) throws(JournalFailure) -> StoredSession {
        let session = inbox.withLock { $0.heads[lease.session] }
        guard let session, session.lease == lease else { throw .heldElsewhere }
        return session
    }

    /// Nil: the receiver gets the outcome.
    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        let count = entries.reduce(0) { $0 + $1.byteCount }
        let given = Waiting(batch: batch, entries: entries, entryByteCount: count)
        let (outcome, begins) = inbox.withLock { inbox -> (AppendOutcome?, Bool) in
            if let outcome = inbox.add(given, master) { return (outcome, false) }
            defer { inbox.isRunning = true }
            return (nil, !inbox.isRunning)
        }
        if begins { submit() }
        return outcome
    }

    // MARK: On the thread

    private func submit() {
        thread.submit { [self] in
            let (parts, rows, refused) = inbox.withLock { $0.take() }
            refused.tell()
            // By their places, here and below: a copy of a part is one of all that it has.
            let heads = parts.indices.map { parts[$0].parameters }.columns
            return (
                parts.isEmpty ? [] : [statement(heads + rows.columns)],
                { [self] reply in
                    let (outcomes, goesOn) = inbox.withLock { $0.end(parts, reply) }
                    outcomes.tell()
                    if goesOn { submit() }
                }
            )
        }
    }
}

/// What one session has in a transaction.
private struct Part: Sendable {
    /// As it is behind its entries.
    var session: StoredSession
    let expected: UInt64
    var given: [Appender.Waiting] = []
    var byteCount = 0
    /// One that is known.
    var state: StoredDocument?

    init(_ head: StoredSession) { (session, expected) = (head, head.version) }

    mutating func add(_ taken: Appender.Waiting, to rows: inout Rows) {
        let (batch, entries) = (taken.batch, taken.entries)
        session.schema = batch.schema ?? session.schema
        session.summary.alarm = batch.alarm.alarm(after: session.summary.alarm)
        for entry in entries {
            precondition(
                entry.version == session.version + 1, "An entry stands behind the one before it.")
            var row = StoredEntry(
                entry, of: session.id, schema: session.schema, by: session.key, sum: session.sum)
            row.add(to: &rows)
            (session.summary.version, session.summary.lastTime) = (entry.version, entry.at)
            session.sum = row.sum
        }
        byteCount += taken.entryByteCount
        state = batch.document(at: entries.last?.at, schema: session.schema)
        given.append(taken)
    }

    var parameters: [Parameter] {
        let end = session.summary
        return [
            .integer(session.id), .integer(session.lease.number), .version(expected),
            .integer(Int64(end.version - expected)), .integer(end.lastTime.milliseconds),
            .sum(session.sum), .integer(end.alarm?.milliseconds), .integer(Int64(session.schema)),
            .bytes(session.dataKey),
        ]
    }
}

extension Appender.Inbox {
    var isBusy: Bool {
        byteCount >= Appender.inboxByteCount || waiting.count >= Appender.inboxCount
    }

    var presentStatus: JournalStatus {
        var status = status
        status.pendingDuration = begun?.duration(to: .read()) ?? .zero
        return status
    }

    /// A session was opened.
    mutating func begin(_ session: StoredSession) {
        (heads[session.id], former[session.id], earlier[session.id]) = (session, nil, nil)
    }

    func has(_ lease: Lease) -> Bool { heads[lease.session]?.lease == lease }

    /// The version that was kept here of a session that is not open any more; nil where nothing is known.
    func former(_ session: Int64) -> UInt64? {
        heads[session]?.version ?? former[session] ?? earlier[session]
    }

    /// Changes what is known for who has the newest lease.
    mutating func change(_ lease: Lease, _ body: (inout StoredSession) -> Void) {
        guard let place = heads.index(forKey: lease.session), heads.values[place].lease == lease
        else { return }
        body(&heads.values[place])
    }

    /// Nobody here has the session any more.
    ///
    /// - Parameter lease: nil for whatever it has now: it may have been opened again.
    mutating func drop(_ session: Int64, of lease: Lease? = nil) {
        guard let head = heads[session], lease ?? head.lease == head.lease else { return }
        (heads[session], wanted[session]) = (nil, nil)
        // Those that were let go longest ago are forgotten.
        if former.count >= Appender.formerCount { (earlier, former) = (former, [:]) }
        former[session] = head.version
    }

    mutating func dropAll() { for id in heads.keys { drop(id) } }

    /// Sessions that want a state to be kept, with one that is known.
    mutating func takeWanted() -> [(StoredSession, StoredDocument?)] {
        defer { wanted = [:] }
        return wanted.compactMap { id, state in heads[id].map { ($0, state) } }
    }

    /// Takes a batch in, unless something can be said of it without asking.
    fileprivate mutating func add(
        _ given: Appender.Waiting, _ master: SealingKey?
    ) -> AppendOutcome? {
        let (batch, count) = (given.batch, given.byteCount)
        if let refusal { return .refused(refusal) }
        guard let place = heads.index(forKey: batch.lease.session),
            heads.values[place].lease == batch.lease
        else { return .stale }
        guard batch.expected == heads.values[place].handedOver else {
            return .refused(.unavailable)
        }
        if isFull { return .refused(.full) }
        guard !isBusy, byteCount + count <= Appender.inboxByteCount || waiting.isEmpty else {
            return .refused(.busy)
        }
        if heads.values[place].key == nil, given.entries.contains(where: { $0.secrets != nil }) {
            let name = heads.values[place].name
            guard let made = StoredSession.makeKey(of: name, by: master) else {
                return .refused(.missingKey)
            }
            heads.values[place].key = made.key
            heads.values[place].dataKey = made.sealed
        }
        heads.values[place].handedOver += UInt64(batch.count)
        waiting.append(given)
        byteCount += count
        return nil
    }

    /// Takes as much as a transaction holds; what does not stand behind what is kept is refused.
    fileprivate mutating func take() -> (parts: [Part], rows: Rows, refused: [ToldOutcome]) {
        var (rows, refused, sessions, bytes) = (Rows(), [ToldOutcome](), Set<Int64>(), 0)
        var parts: [Part] = []
        // Without a connection all that waits is refused behind this, by whoever has asked: on a loop.
        guard status.isAvailable else { return (parts, rows, refused) }
        begun = .read()
        let sessionCount = singleCount > 0 ? 1 : Appender.sessionCount
        singleCount -= min(singleCount, 1)
        let taken = waiting.prefix { given in
            defer { bytes += given.entryByteCount }
            let isNew = sessions.insert(given.batch.lease.session).inserted
            return bytes < Appender.transactionByteCount
                && (!isNew || sessions.count <= sessionCount)
        }
        waiting = Array(waiting[taken.endIndex...])
        byteCount = waiting.reduce(0) { $0 + $1.byteCount }
        // In the order of the sessions' numbers, so that no two transactions wait for each other, and each
        // session's as they have come.
        let order = taken.indices.map { (taken[$0].batch.lease.session, $0) }.sorted { $0 < $1 }
        var lease: Lease?
        for (_, index) in order {
            let batch = taken[index].batch
            if lease?.session != batch.lease.session {
                let head = heads[batch.lease.session]
                lease = head?.lease
                head.map { parts.append(Part($0)) }
            }
            if lease != batch.lease {
                refused.append((batch.receiver, (batch.ticket, .stale)))
            } else if parts[parts.count - 1].session.version != batch.expected {
                refused.append((batch.receiver, (batch.ticket, .refused(.unavailable))))
            } else {
                parts[parts.count - 1].add(taken[index], to: &rows)
            }
        }
        parts.removeAll { $0.given.isEmpty }
        return (parts, rows, refused)
    }

    /// A transaction has ended.
    fileprivate mutating func end(
        _ ended: [Part], _ reply: Reply
    ) -> (outcomes: [ToldOutcome], goesOn: Bool) {
        // Nothing was sent where there is no connection.
        if let begun, !ended.isEmpty {
            status.commitCount += 1
            status.commitDuration += begun.duration(to: .read())
        }
        var outcomes: [ToldOutcome] = []
        begun = nil
        switch reply {
        case .success(let rows):
            let kept = Set(rows.first?.map { $0.number(0) } ?? [])
            for index in ended.indices {
                let isKept = kept.contains(ended[index].session.id)
                end(ended[index], isKept ? .kept : .stale, &outcomes)
            }
        case .failure(.refused(let code, _)) where ended.count > 1 && !isOfAll(code):
            waiting = ended.flatMap(\.given) + waiting
            singleCount = ended.count
        case .failure(let failure):
            let reason = JournalFailure(failure)
            for part in ended {
                end(part, reason == .unknown ? .unknown : .refused(reason), &outcomes)
            }
            if case .refused = failure { break }
            outcomes += refuseWaiting(isAll: reason != .unknown)
        }
        isRunning = !waiting.isEmpty
        // What was refused has left: more would never be taken in.
        if waiting.isEmpty { byteCount = 0 }
        return (outcomes, isRunning)
    }

    /// An error of the database that no session is the reason of: it is full, or may only be read.
    private func isOfAll(_ code: String) -> Bool {
        ["25", "53", "57"].contains { code.hasPrefix($0) }
    }

    private mutating func end(
        _ part: Part, _ outcome: AppendOutcome, _ outcomes: inout [ToldOutcome]
    ) {
        switch outcome {
        case .kept: keep(part)
        case .refused: takeBack(part.session.lease)
        case .stale, .unknown: drop(part.session.id, of: part.session.lease)
        }
        for batch in part.given.lazy.map(\.batch) {
            outcomes.append((batch.receiver, (batch.ticket, outcome)))
        }
    }

    private mutating func keep(_ part: Part) {
        var tail: Tail?
        change(part.session.lease) { head in
            (head.summary, head.sum) = (part.session.summary, part.session.sum)
            head.schema = part.session.schema
            head.tail.count += Int(head.version - part.expected)
            head.tail.byteCount += part.byteCount
            tail = head.tail
        }
        if let tail { wanted.want(part.state, of: part.session.id, behind: tail) }
    }

    /// What was handed over behind what is kept counts no more.
    private mutating func takeBack(_ lease: Lease) {
        change(lease) { $0.handedOver = $0.version }
    }

    /// - Parameter isAll: false: of sessions that nobody here has, whose entries expect what may be there.
    private mutating func refuseWaiting(isAll: Bool) -> [ToldOutcome] {
        let lost = waiting.filter { isAll || heads[$0.batch.lease.session] == nil }
        let left = waiting.filter { !isAll && heads[$0.batch.lease.session] != nil }
        waiting = left
        for given in lost { takeBack(given.batch.lease) }
        return lost.map { ($0.batch.receiver, ($0.batch.ticket, .refused(.unavailable))) }
    }
}

extension JournalFailure {
    /// The failure that one of the database is, to those who ask for a journal.
    init(_ failure: DatabaseFailure) {
        switch failure {
        case .refused("53100", _): self = .full
        case .refused("25006", _): self = .readOnly
        // Somebody else has a lock for longer than was waited for it.
        case .refused("55P03", _): self = .busy
        case .unknown: self = .unknown
        default: self = .unavailable
        }
    }
}
