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
    /// What is known of a session that is open here.
    struct Head: Sendable {
        /// As far as it is kept.
        var session: StoredSession
        /// Of the last entry that was handed over.
        var version: UInt64
        var key: SealingKey?
        var tail = Tail()

        init(_ session: StoredSession, _ key: SealingKey?) {
            (self.session, self.key, version) = (session, key, session.end.version)
        }
    }

    fileprivate struct Inbox {
        var heads: [Int64: Head] = [:]
        /// The versions that were kept of sessions whose heads were lost.
        var former: [Int64: UInt64] = [:]
        var waiting: [Waiting] = []
        /// The transaction under way.
        var parts: [Part] = []
        var byteCount = 0
        var isRunning = false
        var begun: Instant?
        /// What is said at once.
        var refusal: JournalFailure?
        var isFull = false
        var status = JournalStatus()
        /// Transactions that take one session each, to find the one that is refused.
        var singleCount = 0
        /// Sessions that want a state to be kept, with one that is known.
        var wanted: [Int64: StoredDocument?] = [:]
    }

    fileprivate typealias Waiting = (batch: AppendBatch, entries: [EncodedEntry])

    fileprivate static let (inboxByteCount, inboxCount) = (16 << 20, 65_536)
    fileprivate static let (transactionByteCount, sessionCount) = (4 << 20, 512)
    fileprivate static let formerCount = 100_000

    private let inbox = Lock(Inbox())
    private let thread: DatabaseThread
    private let statement: Statement
    private let master: SealingKey?

    init(_ thread: DatabaseThread, _ statement: Statement, _ master: SealingKey?) {
        (self.thread, self.statement, self.master) = (thread, statement, master)
    }

    // MARK: From any thread

    /// A session was opened.
    func begin(_ head: Head) {
        inbox.withLock { inbox in
            inbox.heads[head.session.id] = head
            inbox.former[head.session.id] = nil
        }
    }

    /// The version that was kept here of a session that is not open any more; nil where nothing is known.
    func former(_ session: Int64) -> UInt64? {
        inbox.withLock { $0.heads[session]?.session.end.version ?? $0.former[session] }
    }

    /// The head of a session for who has its newest lease.
    func head(_ lease: Lease) throws(JournalFailure) -> Head {
        let head = inbox.withLock { $0.heads[lease.session] }
        guard let head, head.session.lease == lease.number else { throw .heldElsewhere }
        return head
    }

    func has(_ lease: Lease) -> Bool {
        inbox.withLock { $0.heads[lease.session]?.session.lease == lease.number }
    }

    func change(_ lease: Lease, _ body: (inout Head) -> Void) {
        inbox.withLock { inbox in
            guard inbox.heads[lease.session]?.session.lease == lease.number,
                let place = inbox.heads.index(forKey: lease.session)
            else { return }
            body(&inbox.heads.values[place])
        }
    }

    /// Nobody here has the session any more.
    func drop(_ session: Int64, of lease: Int64? = nil) {
        inbox.withLock { $0.drop(session, of: lease) }
    }

    /// Nobody here has any.
    func dropAll() {
        inbox.withLock { inbox in
            for id in inbox.heads.keys { inbox.drop(id) }
        }
    }

    /// Sessions that want a state to be kept, with one that is known.
    func takeWanted() -> [(Head, StoredDocument?)] {
        inbox.withLock { inbox in
            defer { inbox.wanted = [:] }
            return inbox.wanted.compactMap { id, state in inbox.heads[id].map { ($0, state) } }
        }
    }

    var isBusy: Bool { inbox.withLock(\.isBusy) }
    var hasWanted: Bool { inbox.withLock { !$0.wanted.isEmpty } }
    func setFull(_ isFull: Bool) { inbox.withLock { $0.isFull = isFull } }
    func setUp(_ isUp: Bool) { inbox.withLock { $0.status.isAvailable = isUp } }
    func close() { inbox.withLock { $0.refusal = .unavailable } }

    var status: JournalStatus {
        inbox.withLock { inbox in
            var status = inbox.status
            status.pendingDuration = inbox.begun?.duration(to: .read()) ?? .zero
            return status
        }
    }

    /// Nil: the receiver gets the outcome.
    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        let byteCount = Self.byteCount(batch, entries)
        let (outcome, begins) = inbox.withLock { inbox -> (AppendOutcome?, Bool) in
            if let outcome = inbox.judge(batch, entries, byteCount, master) {
                return (outcome, false)
            }
            inbox.waiting.append((batch, entries))
            inbox.byteCount += byteCount
            defer { inbox.isRunning = true }
            return (nil, !inbox.isRunning)
        }
        if begins { submit() }
        return outcome
    }

    fileprivate static func byteCount(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> Int {
        entries.reduce(batch.state?.count ?? 0) { $0 + $1.byteCount }
    }

    // MARK: On the thread

    private func submit() {
        thread.submit(
            Request({ [self] in
                let (parts, refused) = inbox.withLock { $0.take() }
                refused.tell()
                return parts.isEmpty ? [] : [statement(Part.parameters(of: parts))]
            }) { [self] reply in
                let (outcomes, goesOn) = inbox.withLock { $0.end(reply) }
                outcomes.tell()
                if goesOn { submit() }
            })
    }

}

/// What one session has in a transaction.
private struct Part: Sendable {
    var head: Appender.Head
    let expected: UInt64
    var given: [Appender.Waiting] = []
    var rows: [StoredEntry] = []
    /// A state that is known, and the version that it is of.
    var state: StoredDocument?

    init(_ head: Appender.Head) { (self.head, expected) = (head, head.session.end.version) }

    mutating func add(_ batch: AppendBatch, _ entries: [EncodedEntry]) {
        var end = head.session.end
        end.schema = batch.schema ?? end.schema
        for entry in entries {
            precondition(
                entry.version == end.version + 1, "An entry stands behind the one before it.")
            var row = StoredEntry(
                entry, of: head.session.id, schema: end.schema, by: head.key, sum: end.sum)
            row.sum = row.checksum(after: end.sum)
            rows.append(row)
            (end.version, end.at, end.sum) = (entry.version, entry.at.milliseconds, row.sum)
        }
        end.alarm = batch.alarm.alarm(after: end.alarm)
        head.session.end = end
        state = batch.state.map {
            StoredDocument(
                version: end.version, lastChange: end.version, lastTime: entries.last?.at,
                schema: end.schema, json: $0)
        }
        given.append((batch, entries))
    }

    func told(_ outcome: AppendOutcome) -> [ToldOutcome] {
        given.map { ($0.batch.receiver, ($0.batch.ticket, outcome)) }
    }

    /// In the order of the sessions' numbers, so that no two transactions wait for each other.
    static func parameters(of parts: [Part]) -> [Parameter] {
        let sessions = parts.map(\.head.session)
        let heads: [Parameter] = [
            .integers(sessions.map(\.id)), .integers(sessions.map(\.lease)),
            .integers(parts.map { Int64(bitPattern: $0.expected) }),
            .integers(parts.map { Int64($0.rows.count) }), .integers(sessions.map(\.end.at)),
            .integers(sessions.map(\.end.sum.number)), .integers(sessions.map(\.end.alarm)),
            .integers(sessions.map { Int64($0.end.schema) }), .lists(sessions.map(\.dataKey)),
        ]
        let rows = parts.flatMap(\.rows)
        return heads + [
            .integers(rows.map(\.session)), .integers(rows.map { Int64(bitPattern: $0.version) }),
            .integers(rows.map(\.entry.at.milliseconds)), .integers(rows.map(\.flags)),
            .integers(rows.map(\.sum.number)), .lists(rows.map(\.entry.print?.bytes)),
            .lists(rows.map(\.entry.head)), .lists(rows.map(\.entry.patch)),
            .lists(rows.map(\.sealed)),
        ]
    }
}

extension Appender.Inbox {
    fileprivate var isBusy: Bool {
        byteCount >= Appender.inboxByteCount || waiting.count >= Appender.inboxCount
    }

    /// - Parameter lease: nil for whatever it has now: it may have been opened again.
    mutating func drop(_ session: Int64, of lease: Int64? = nil) {
        guard let head = heads[session], lease ?? head.session.lease == head.session.lease
        else { return }
        heads[session] = nil
        wanted[session] = nil
        if former.count < Appender.formerCount { former[session] = head.session.end.version }
    }

    /// What can be said of a batch without asking.
    fileprivate mutating func judge(
        _ batch: AppendBatch, _ entries: [EncodedEntry], _ count: Int, _ master: SealingKey?
    ) -> AppendOutcome? {
        if let refusal { return .refused(refusal) }
        guard let place = heads.index(forKey: batch.lease.session),
            heads.values[place].session.lease == batch.lease.number
        else { return .stale }
        guard batch.expected == heads.values[place].version else { return .refused(.unavailable) }
        if isFull { return .refused(.full) }
        guard !isBusy, byteCount + count <= Appender.inboxByteCount || waiting.isEmpty else {
            return .refused(.busy)
        }
        if heads.values[place].key == nil, entries.contains(where: { $0.secrets != nil }) {
            guard let master else { return .refused(.missingKey) }
            let key = SealingKey.make()
            heads.values[place].key = key
            let name = heads.values[place].session.name
            heads.values[place].session.dataKey = master.seal(
                key.bytes, at: Sealed.place("key", name))
        }
        heads.values[place].version += UInt64(batch.count)
        return nil
    }

    /// Takes as much as a transaction holds; what does not stand behind what is kept is refused.
    fileprivate mutating func take() -> (parts: [Part], refused: [ToldOutcome]) {
        var (parts, refused, count, bytes) = ([Int64: Part](), [ToldOutcome](), 0, 0)
        begun = .read()
        let sessionCount = singleCount > 0 ? 1 : Appender.sessionCount
        singleCount -= min(singleCount, 1)
        for (batch, entries) in waiting {
            let session = batch.lease.session
            let isNew = parts[session] == nil
            if bytes >= Appender.transactionByteCount { break }
            if isNew, parts.count == sessionCount { break }
            count += 1
            let found = isNew ? heads[session].map { Part($0) } : parts.removeValue(forKey: session)
            guard var part = found, part.head.session.lease == batch.lease.number else {
                parts[session] = isNew ? nil : found
                refused.append((batch.receiver, (batch.ticket, .stale)))
                continue
            }
            if part.head.session.end.version == batch.expected {
                part.add(batch, entries)
                bytes += entries.reduce(0) { $0 + $1.byteCount }
            } else {
                refused.append((batch.receiver, (batch.ticket, .refused(.unavailable))))
            }
            parts[session] = part
        }
        waiting.removeFirst(count)
        byteCount = waiting.reduce(0) { $0 + Appender.byteCount($1.batch, $1.entries) }
        let list = parts.values.filter { !$0.rows.isEmpty }
        self.parts = list.sorted { $0.head.session.id < $1.head.session.id }
        return (self.parts, refused)
    }

    /// A transaction has ended.
    fileprivate mutating func end(
        _ reply: Request.Reply
    ) -> (outcomes: [ToldOutcome], goesOn: Bool) {
        status.commitCount += 1
        status.commitDuration += begun?.duration(to: .read()) ?? .zero
        begun = nil
        var outcomes: [ToldOutcome] = []
        defer { parts = [] }
        switch reply {
        case .success(let rows):
            let kept = Set(rows.first?.map { $0.number(0) } ?? [])
            for part in parts {
                let session = part.head.session
                let isKept = kept.contains(session.id)
                outcomes += part.told(isKept ? .kept : .stale)
                if isKept { keep(part) } else { drop(session.id, of: session.lease) }
            }
        case .failure(.unknown):
            // Those behind them expect what may be there, and are not tried.
            for part in parts {
                outcomes += part.told(.unknown)
                drop(part.head.session.id, of: part.head.session.lease)
            }
            outcomes += refuseWaiting(isAll: false)
        case .failure(.refused(let code, _)) where parts.count > 1 && !isOfAll(code):
            waiting = parts.flatMap(\.given) + waiting
            singleCount = parts.count
        case .failure(let failure):
            for part in parts {
                outcomes += part.told(.refused(JournalFailure(failure)))
                takeBack(part.head)
            }
            if case .unreachable = failure {
                for id in waiting.map(\.batch.lease.session) { heads[id].map { takeBack($0) } }
                outcomes += refuseWaiting(isAll: true)
            }
        }
        isRunning = !waiting.isEmpty
        return (outcomes, isRunning)
    }

    /// An error of the database that no session is the reason of: it is full, or may only be read.
    private func isOfAll(_ code: String) -> Bool {
        ["25", "53", "57"].contains { code.hasPrefix($0) }
    }

    private mutating func keep(_ part: Part) {
        let id = part.head.session.id
        guard var head = heads[id], head.session.lease == part.head.session.lease else { return }
        head.session.end = part.head.session.end
        head.tail.count += part.rows.count
        head.tail.byteCount += part.rows.reduce(0) { $0 + $1.entry.byteCount }
        heads[id] = head
        if let state = part.state, head.tail.count >= 16, wanted.count < 1_024 || wanted[id] != nil
        {
            wanted[id] = state
        } else if head.tail.wantsState, wanted[id] == nil {
            wanted.updateValue(nil, forKey: id)
        }
    }

    /// What was handed over behind what is kept counts no more.
    private mutating func takeBack(_ head: Appender.Head) {
        guard heads[head.session.id]?.session.lease == head.session.lease else { return }
        let end = heads[head.session.id]?.session.end.version
        heads[head.session.id]?.version = end ?? 0
    }

    /// - Parameter isAll: false: of sessions that nobody here has.
    private mutating func refuseWaiting(isAll: Bool) -> [ToldOutcome] {
        let lost = waiting.filter { isAll || heads[$0.batch.lease.session] == nil }
        let left = waiting.filter { !isAll && heads[$0.batch.lease.session] != nil }
        waiting = left
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
