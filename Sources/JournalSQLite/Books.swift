import Bytes
import JournalRows
import Journaling
import Redux
import SQLite
import Sodium
import Threads

/// What the writer knows of the database without reading it. A transaction changes it with the tables,
/// and takes back what it has changed where it fails.
struct Books: Sendable {
    /// The end of a session's entries, as the next one needs it.
    struct Head: Hashable {
        var place: SessionRow.Place
        /// The sum of the last entry's row.
        var sum: UInt32
        /// The number of the newest lease; 0 where nobody has one.
        var lease: Int64 = 0
        var schema = 0
        var tail = Tail()
        /// The session's row says something else.
        var isDirty = false
    }

    let options: SQLiteJournal.Options
    private(set) var journal: JournalRow
    private(set) var heads: [Int64: Head] = [:]
    /// The number of the last entry.
    private(set) var lastSeq: Int64 = 0
    /// Work that no answer waits for, in pieces of one transaction each.
    var upkeep = Upkeep()
    var sealing: Sealing
    /// Sessions that have ended the process, until one appends.
    var suspects: [Int64: ReductionPage.Suspect] = [:]
    /// Sessions with a damaged page, which get no snapshot, and the one that upkeep is reading.
    var damaged: Set<Int64> = []
    var reading: Int64?
    /// The job of `scrub` that upkeep is about, and the last that has met a damaged page: it and those before it
    /// are left until the next start.
    var scrubbing: Int64?
    var lastUnscrubbed: Int64 = 0
    /// Entries that a snapshot need not read.
    var tails = Tails()
    /// What the heads were that the open transaction has changed, in the order of the changes.
    private var formerHeads: [(session: Int64, head: Head?)] = []
    private var leaseCount: Int64 = 0
    /// What a start has found.
    var status = JournalStatus()

    /// What a transaction, or one change in it, may change beside the heads.
    private typealias Present = (
        headCount: Int, Int64, JournalRow, Upkeep, [Int64: ReductionPage.Suspect], Set<Int64>
    )

    init(_ journal: JournalRow, _ options: SQLiteJournal.Options, keyFile: String) {
        self.journal = journal
        self.options = options
        sealing = Sealing(keyFile)
    }

    var hash: KeyedHash { KeyedHash(key: journal.hashKey) }
    /// The time by which ages count.
    var now: Int64 { options.now(status.lead) }

    // MARK: Transactions

    /// Makes changes in one transaction, and takes back what they have changed here where it fails.
    mutating func transact(
        in database: Database, _ body: (inout Books) throws -> Void
    ) throws(TransactionFailure) {
        formerHeads.removeAll(keepingCapacity: true)
        let before = present
        var isCommitting = false
        do {
            try database.run("BEGIN IMMEDIATE")
            let fence = try database.first("SELECT fence FROM journal")
            // Another server has begun to write.
            guard fence?[0].integer == journal.fence else { throw JournalFailure.heldElsewhere }
            try body(&self)
            isCommitting = true
            try database.run("COMMIT")
        } catch {
            // Some errors have rolled back already.
            try? database.run("ROLLBACK")
            takeBack(to: before)
            throw TransactionFailure(reason: error, isCommitting: isCommitting)
        }
    }

    /// Makes one change of a transaction, which fails alone: what it has changed in the tables and here
    /// is taken back. An error of SQLite's, or a damaged page, ends the transaction.
    mutating func attempt<Value>(
        in database: Database, _ body: (inout Books) throws -> Value
    ) throws -> Value {
        let before = present
        try database.run("SAVEPOINT change")
        do {
            let value = try body(&self)
            try database.run("RELEASE change")
            return value
        } catch  where !(error is DatabaseError) {
            try database.run("ROLLBACK TO change")
            try database.run("RELEASE change")
            takeBack(to: before)
            throw error
        }
    }

    private var present: Present {
        (formerHeads.count, lastSeq, journal, upkeep, suspects, damaged)
    }

    private mutating func takeBack(to before: Present) {
        while formerHeads.count > before.headCount, let (session, head) = formerHeads.popLast() {
            heads[session] = head
            tails.drop(session)
        }
        (_, lastSeq, journal, upkeep, suspects, damaged) = before
        sealing.drop()
    }

    mutating func set(_ head: Head?, of session: Int64) {
        let former =
            if let head { heads.updateValue(head, forKey: session) } else {
                heads.removeValue(forKey: session)
            }
        formerHeads.append((session, former))
        upkeep.dirtyCount += (head?.isDirty == true ? 1 : 0) - (former?.isDirty == true ? 1 : 0)
    }

    /// Changes the row about the journal itself.
    mutating func change(
        in database: Database, _ body: (inout JournalRow) -> Void
    ) throws {
        body(&journal)
        try journal.write(in: database)
    }

    /// Entries are to be overwritten: after a crash none of their numbers is given again.
    mutating func keepLastSeq(in database: Database) throws {
        let seq = lastSeq
        if journal.lastSeq < seq { try change(in: database) { $0.lastSeq = seq } }
    }

    /// Whether idempotency keys that another journal has hashed count in this one: it hashes as that does,
    /// or has nothing yet and does so from now on.
    mutating func hashes(by key: [UInt8], in database: Database) throws -> Bool {
        if journal.hashKey == key { return true }
        let used = try database.first(
            "SELECT 1 FROM session UNION ALL SELECT 1 FROM ended LIMIT 1")
        guard key.count == journal.hashKey.count, used == nil else { return false }
        try change(in: database) { $0.hashKey = key }
        return true
    }

    // MARK: Heads

    /// Reads what stands behind `flushed`: the ends of sessions that their rows do not know.
    mutating func scan(in database: Database) throws {
        try scanEntries("seq", in: database) { books, head, session in
            books.lastSeq = head.place.seq
            books.heads[session] = head
        }
        try scanRows(in: database)
        lastSeq = max(lastSeq, journal.flushed, journal.lastSeq)
        upkeep.dirtyCount = heads.count { $0.value.isDirty }
        // What cannot be read says nothing of a pause.
        let newest = [
            try? database.first("SELECT at FROM entry ORDER BY seq DESC LIMIT 1"),
            try? database.first("SELECT touched FROM session ORDER BY id DESC LIMIT 1"),
        ].compactMap { $0?[0].integer }
        status.lead = newest.max().map { AgeClock.lead(over: $0, wall: options.now(0)) } ?? 0
    }

    private mutating func scanEntries(
        _ order: String, in database: Database,
        _ note: (inout Books, _ head: Head, _ session: Int64) -> Void
    ) throws {
        let entries = try PreparedQuery(
            """
            SELECT seq, session, version, at, sum, flags >> 8 FROM entry WHERE seq > ?1
            ORDER BY \(order)
            """, in: database)
        try entries.each([.integer(journal.flushed)]) { row in
            let head = Head(
                place: SessionRow.Place(
                    version: row[2].version, seq: row[0].integer, touched: row[3].time),
                sum: UInt32(truncatingIfNeeded: row[4].integer), schema: Int(row[5].integer),
                isDirty: true)
            note(&self, head, row[1].integer)
            return true
        }
    }

    private mutating func scanRows(in database: Database) throws {
        // Each row tells the truth about its alarm. One on a damaged page is none of the others' affair,
        // and is not written.
        for session in heads.keys.sorted() {
            do {
                let row = try database.first(
                    "SELECT alarm, head_seq FROM session WHERE id = ?1", .integer(session))
                heads[session]?.place.alarm = row?[0].optionalTime
                // What stood behind it was being overwritten: then the row knows more.
                if let row, let head = heads[session], head.place.seq < row[1].integer {
                    heads[session] = nil
                }
            } catch DatabaseError.damagedPage {
                heads[session]?.isDirty = false
            }
        }
    }

    /// The same for who looks at a journal that may be damaged: what cannot be read is left out.
    ///
    /// - Returns: false where newest entries are on a damaged page: some sessions may end there.
    mutating func scanPassingDamage(in database: Database) throws -> Bool {
        do {
            try scan(in: database)
            return true
        } catch DatabaseError.damagedPage {}
        // Behind the page, from the other end.
        var ends: [Int64: Head] = [:]
        do {
            try scanEntries("seq DESC", in: database) { _, head, session in
                if ends[session] == nil { ends[session] = head }
            }
        } catch DatabaseError.damagedPage {}
        heads.merge(ends) { $1 }
        try scanRows(in: database)
        return false
    }

    /// The end of a session's entries: of one that sleeps, as its row says.
    func head(of row: SessionRow, in database: Database) throws -> Head {
        try heads[row.id] ?? row.head(in: database)
    }

    /// Writes a session's row, and forgets the session where nobody has it.
    mutating func write(_ session: Int64, in database: Database) throws {
        guard var head = heads[session] else { return }
        if head.isDirty {
            try head.place.write(of: session, in: database)
            head.isDirty = false
        }
        if head.lease == 0 {
            sealing.drop(session)
            tails.drop(session)
        }
        set(head.lease == 0 ? nil : head, of: session)
    }

    // MARK: Leases

    /// Gives the right to append to a session: who had it before has lost it.
    mutating func lease(_ row: SessionRow, in database: Database) throws -> Lease {
        var head = try head(of: row, in: database)
        let newest = try database.first(
            """
            SELECT version, length(state) FROM snapshot WHERE session = ?1
            ORDER BY version DESC LIMIT 1
            """, .integer(row.id))
        if let newest, head.lease == 0 {
            head.tail.count = Int(clamping: head.place.version &- newest[0].version)
            head.tail.stateByteCount = Int(newest[1].integer)
        }
        head.lease = makeLease()
        set(head, of: row.id)
        return Lease(session: row.id, number: head.lease)
    }

    private mutating func makeLease() -> Int64 {
        // Those of an older connection are stale.
        leaseCount += 1
        return journal.fence << 32 | leaseCount
    }

    /// Makes a session, with its first snapshot, unless there are so many.
    mutating func make(
        _ beginning: Beginning, below sessionCount: Int = .max, in database: Database
    ) throws -> Lease {
        guard !upkeep.isFull else { throw JournalFailure.full }
        guard upkeep.sessionCount < sessionCount else { throw JournalFailure.tooManySessions }
        upkeep.sessionCount += 1
        let newest = try database.first("SELECT max(id) FROM session")
        var (row, snapshot, whole) = beginning
        let document = snapshot.document
        row.id = (newest?[0].integer ?? 0) + 1
        (row.place.version, snapshot.session) = (document.version, row.id)
        snapshot.chain = row.chain
        try row.insert(in: database)
        if let whole,
            let key = try sealing.key(of: row.id, isMade: true, in: database)
        {
            snapshot.seal(whole, by: key)
        }
        try snapshot.insert(in: database)
        upkeep.logByteCount += document.json.count + 2 * Self.pageByteCount
        let head = Head(
            place: row.place, sum: row.chain, lease: makeLease(), schema: document.schema,
            tail: Tail(snapshot, to: document.version))
        set(head, of: row.id)
        tails.begin(row.id, behind: snapshot)
        return Lease(session: row.id, number: head.lease)
    }

    /// Has a session go on from a state, by an entry behind its last one, as if it were made anew.
    ///
    /// - Parameters:
    ///   - end: of its entries, as far as that could be read beside the writer.
    ///   - keys: of the entries up to there behind the newest snapshot, likewise.
    mutating func revert(
        _ row: SessionRow, to state: FormerState, by entry: EncodedEntry, epoch: String,
        behind end: Head, _ keys: [KeptKey]?, in database: Database
    ) throws {
        let isEnd = row.place.seq == end.place.seq
        var head = try heads[row.id] ?? (isEnd ? end : row.head(in: database))
        let key = try sealing.key(of: row.id, isMade: state.whole != nil, in: database)
        let entry = state.entry(entry, behind: head.place.version, at: head.place.touched)
        head.schema = state.document.schema
        let keys = try isEnd ? keys : self.keys(of: row, in: database) ?? keys
        try SessionRow.begin(epoch, of: row.id, in: database)
        try insert([entry], behind: &head, of: row.id, key, StoredEntry.insertion(in: database))
        var snapshot = state.state(of: entry, chain: head.sum, keys, epoch: epoch, by: key)
        (snapshot.session, snapshot.seq) = (row.id, head.place.seq)
        try snapshot.insert(in: database)
        // Who opens it next says what it waits for.
        head.place.alarm = entry.at
        head.lease = makeLease()
        head.tail = Tail(snapshot, to: entry.version)
        head.isDirty = true
        set(head, of: row.id)
        try write(row.id, in: database)
        suspects[row.id] = nil
        damaged.remove(row.id)
        upkeep.snapshots[row.id] = nil
        tails.begin(row.id, behind: snapshot)
    }

    /// The keys behind a session's newest snapshot; nil where not all of them are what was written.
    private func keys(of row: SessionRow, in database: Database) throws -> [KeptKey]? {
        do {
            return try Passage(of: row.id, to: row.place, in: database).keys(by: hash)
        } catch is JournalFailure {
            return nil
        }
    }

    /// The head of a session for who has its newest lease.
    func head(_ lease: Lease) throws -> Head {
        guard let head = heads[lease.session], head.lease == lease.number else {
            throw JournalFailure.heldElsewhere
        }
        return head
    }

    // MARK: Entries

    /// Inserts a batch where it fits; the outcome counts once the transaction is committed.
    mutating func append(
        _ batch: AppendBatch, _ entries: [EncodedEntry], with insertion: PreparedQuery,
        in database: Database
    ) throws -> AppendOutcome {
        guard var head = try? head(batch.lease) else { return .stale }
        guard batch.expected == head.place.version else { return .refused(.unavailable) }
        guard !upkeep.isFull else { return .refused(.full) }
        var key: SealingKey?
        do {
            if entries.contains(where: { $0.secrets != nil }) {
                key = try sealing.key(of: batch.lease.session, isMade: true, in: database)
            }
        } catch JournalFailure.missingKey {
            return .refused(.missingKey)
        }
        head.schema = batch.schema ?? head.schema
        do {
            try insert(entries, behind: &head, of: batch.lease.session, key, insertion)
        } catch {
            // The head is not changed yet: taking back would leave the rows that were inserted.
            tails.drop(batch.lease.session)
            throw error
        }
        let alarm = head.place.alarm
        head.place.alarm = batch.alarm.alarm(after: alarm)
        head.isDirty = true
        if !suspects.isEmpty { suspects[batch.lease.session] = nil }
        if !damaged.contains(batch.lease.session) {
            let state = batch.document(at: entries.last?.at, schema: head.schema)
            upkeep.snapshots.want(state, of: batch.lease.session, behind: head.tail)
        }
        set(head, of: batch.lease.session)
        // Alarms are looked for in rows; the rest of a row costs a page for each entry.
        if head.place.alarm != alarm { try write(batch.lease.session, in: database) }
        return .kept
    }

    private mutating func insert(
        _ entries: [EncodedEntry], behind head: inout Head, of session: Int64,
        _ key: SealingKey?, _ insertion: PreparedQuery
    ) throws {
        for entry in entries {
            precondition(
                entry.version == head.place.version + 1,
                "An entry stands behind the one before it.")
            lastSeq += 1
            var row = StoredEntry(
                entry, of: session, seq: lastSeq, previous: head.place.seq, schema: head.schema,
                by: key, sum: head.sum)
            try row.insert(by: insertion)
            tails.append(row, of: session)
            head.sum = row.sum
            head.place.version = entry.version
            head.place.seq = lastSeq
            head.place.touched = entry.at
            head.tail.count += 1
            head.tail.byteCount += entry.byteCount
            upkeep.unflushedByteCount += entry.byteCount
            upkeep.logByteCount += entry.byteCount
        }
    }
}
