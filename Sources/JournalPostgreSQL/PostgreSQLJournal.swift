import Bytes
import JournalRows
public import Journaling
import PostgreSQL
public import Redux
import Sodium
import Threads

/// Sessions in a PostgreSQL database, version 15 or later, which several servers may share: however many
/// believe that they have a session, the database takes entries from one.
///
///     let journal = try PostgreSQLJournal("postgresql://shop@db.internal/shop")
///
/// The tables are made where they are missing, in a schema of their own. libpq is loaded when the first
/// journal is made: passwords, certificates and services are told as it says (`~/.pgpass`, `PGSSLMODE`).
public final class PostgreSQLJournal: Sendable {
    /// Where its tables stand, and how long entries are kept.
    public struct Options: Sendable {
        /// The schema of the tables, made where it is missing.
        public var schema = "statecast"
        /// Days of entries older than this go, seven days unless set; none goes within 24 hours, for that
        /// long idempotency keys count. Each session's state stays.
        public var keptDuration = Duration.seconds(7 * 24 * 3600)
        /// The bytes of entries and states beyond which the oldest days go, 64 GiB unless set; where none may
        /// go, appends are refused.
        public var byteCount: Int64 = 64 << 30
        /// The file of the key by which secrets are sealed, the same for all servers. It is made where no
        /// secret was ever sealed in the journal. Without it what has secrets is refused.
        public var keyFile: String?
        /// The key by which names are made where nothing is kept yet.
        var hashKey: [UInt8]?
        /// Others have the bounds: nothing is deleted here, whatever those above say, and no server ended.
        package var isGuest = false
        /// What is asked of the database.
        package var statements = Statements.usual

        /// Seven days, 64 GiB, and no key.
        public init() {}
    }

    /// The database's name.
    public let place: String
    /// The database waited for a synchronous standby as the journal was opened.
    package let hasStandby: Bool
    /// Makes names of what clients give that last as long as the journal.
    public let hash: KeyedHash
    /// The key of the same.
    let salt: [UInt8]
    let options: Options
    let master: SealingKey?
    /// What is being made: a trap waits until the database knows.
    private let page: ReductionPage?
    /// By what their connections do: none waits for another's.
    let threads: [DatabaseThread]
    let life: Life
    let appender: Appender
    private let opener: Opener
    private let housekeeping = Housekeeping()
    /// So many sessions may be made before they are counted again.
    private let room = Lock((count: 0, losses: 0))
    var statements: Statements { options.statements }

    /// Connections by what they do; for the past there is one, for which no restore waits.
    enum Lane: Int, CaseIterable { case appending, living, opening, reading, past }

    /// Opens the journal in a database, or makes it there.
    ///
    /// - Parameter address: a URL, `postgresql://user@host/database`, or words as libpq has them.
    public init(_ address: String, options: Options = Options()) throws(JournalRefusal) {
        let founding = try Founding(address, options)
        (self.options, place, master) = (options, founding.place, founding.master)
        hasStandby = founding.hasStandby
        (salt, hash) = (founding.salt, KeyedHash(key: founding.salt))
        threads = Lane.allCases.map { _ in DatabaseThread(address) }
        appender = Appender(threads[0], options.statements.append, founding.master)
        life = Life(threads[Lane.living.rawValue], schema: options.schema, appender)
        opener = Opener(threads[Lane.opening.rawValue], options.statements.look, life)
        page = ReductionPage(ringing: life.thread.bellDescriptor)
        do {
            for (thread, lane) in zip(threads, Lane.allCases) where lane != .living {
                let appender = lane == .appending ? appender : nil
                try thread.start(
                    PlainLane(schema: options.schema, lane: lane, appender: appender))
            }
            try life.thread.start(life) { [weak self] in self?.turned(isSecond: $0) }
            try PlainLane.check(threads)
            if !options.isGuest { life.waitForOthers() }
        } catch {
            for thread in threads { thread.end() }
            throw JournalRefusal(database: error)
        }
        housekeeping.begin(self)
    }

    /// Makes the tables where they are missing, and looks whether the database may be used.
    ///
    /// - Returns: the database's name.
    public static func make(
        _ address: String, options: Options = Options()
    ) throws(JournalRefusal) -> String { try Founding(address, options).place }

    private func turned(isSecond: Bool) {
        if let marks = page?.takeTrap() { tellOfTrap(marks) }
        if isSecond { life.tick(endsNobody: options.isGuest) }
    }

    /// Tells those who open a session next that what was being made of it has ended this process.
    private func tellOfTrap(_ marks: [(session: Int64, version: UInt64)]) {
        guard let me = try? life.id(), !marks.isEmpty else { return page?.endTrap() ?? () }
        let rows = marks.map { [Parameter.integer($0.session), .version($0.version)] }
        let call = statements.trap(rows.columns + [.integer(me)])
        life.thread.submit { [page] in ([call], { [page] _ in page?.endTrap() }) }
    }

    /// Runs statements as one transaction. Who only reads asks again a moment later where the connection is
    /// lost: the database is back then, or its standby is there.
    func run(
        _ calls: [Call], on lane: Lane = .opening
    ) async throws(JournalFailure) -> [[ResultRow]] {
        var pauses: [Duration] = []
        if [.reading, .past].contains(lane) {
            pauses = [.seconds(1), .milliseconds(400), .milliseconds(100)]
        }
        while true {
            do throws(DatabaseFailure) {
                return try await threads[lane.rawValue].run(calls)
            } catch {
                guard error.isOfConnection, let pause = pauses.popLast(),
                    (try? await ContinuousClock().sleep(for: pause)) != nil
                else { throw JournalFailure(error) }
            }
        }
    }

    /// Runs one statement.
    @discardableResult
    func run(
        _ call: Call, on lane: Lane = .opening
    ) async throws(JournalFailure) -> [ResultRow] { try await run([call], on: lane)[0] }

    /// Runs a statement that changes what somebody has; throws where somebody else has it.
    @discardableResult
    func change(_ call: Call) async throws(JournalFailure) -> ResultRow {
        guard let row = try await run(call).first else { throw .heldElsewhere }
        return row
    }
}

extension PostgreSQLJournal: Journal {
    /// `durable`
    public var mode: JournalMode { .durable }
    /// It wants the bytes of entries.
    public var keepsEntries: Bool { true }

    /// Whoever has the database may be another server.
    public var isShared: Bool { true }

    /// This process counts as alive, and has the session.
    public func shows(_ lease: Lease?, anew: Bool) -> Bool {
        life.shows(anew: anew)
            && (lease.map { lease in appender.inbox.withLock { $0.has(lease) } } ?? true)
    }

    /// As many entries wait as may.
    public var isBusy: Bool { appender.inbox.withLock(\.isBusy) }

    /// It is not there while it has no connection, or does not know that this process counts as alive.
    public var status: JournalStatus {
        var status = appender.inbox.withLock(\.presentStatus)
        status.isAvailable = status.isAvailable && life.shows(anew: false)
        status.upkeepFailure = housekeeping.failure
        return status
    }

    // MARK: One session

    /// Takes a session over that nobody has, or this process, or one that has ended; or makes it.
    public func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        let nameHash = hash.hash(of: Array(name.description.utf8))
        for _ in 0..<2 {
            let me = try life.id()
            var row: ResultRow?
            do throws(JournalFailure) {
                row = try await opener.open(name.description, nameHash)
            } catch .heldElsewhere {
                // Who only has the row in hand is waited for.
                row = try await change(statements.open(.text(name.description), .integer(me)))
            }
            if let row {
                do throws(JournalFailure) { return try await have(row, me) } catch {
                    await giveUp(row, error)
                    throw error
                }
            }
            guard let new else { return nil }
            let (document, whole) = try new.state()
            let state = StoredState(document, chain: StoredSession.sum(name, new.epoch))
            if let lease = try await make(name, new, state, whole: whole, me) {
                return OpenedSession(
                    lease: lease, epoch: new.epoch, created: new.created, document: nil)
            }
        }
        throw .heldElsewhere
    }

    /// Who cannot read a session does not keep it from others.
    private func giveUp(_ row: ResultRow, _ error: JournalFailure) async {
        switch error {
        case .damaged, .missingKey: break
        default: return
        }
        guard let lease = (try? StoredSession(row))?.lease else { return }
        appender.inbox.withLock { $0.drop(lease.session, of: lease) }
        _ = try? await run(Statements.release([lease.parameters + [.text("")]].columns))
    }

    private func have(
        _ row: ResultRow, _ me: Int64
    ) async throws(JournalFailure) -> OpenedSession {
        var session = try StoredSession(row)
        let isNewHistory = try await isLost(session)
        session.key = try session.key(by: master)
        try begin(session, me)
        let passage = try await read(session, around: session.version, on: .reading)
        // The works of its entries are of the epoch so far.
        var opened = try passage.opened(
            session.lease, as: session.summary, traps: session.traps, hash: hash, by: session.key)
        if isNewHistory {
            opened.epoch = Step.randomEpoch()
            try await begin(opened.epoch, of: session.lease)
        }
        var tail = Tail(passage.base, to: passage.last)
        tail.byteCount = passage.rows.reduce(0) { $0 + $1.entry.byteCount }
        appender.inbox.withLock { [tail] in $0.change(session.lease) { $0.tail = tail } }
        return opened
    }

    /// Throws where this process was ended meanwhile: what it has opened may be another's.
    private func begin(_ session: StoredSession, _ me: Int64) throws(JournalFailure) {
        appender.inbox.withLock { $0.begin(session) }
        guard (try? life.id()) == me else {
            appender.inbox.withLock { $0.drop(session.id, of: session.lease) }
            throw .heldElsewhere
        }
    }

    /// Makes a session that goes on from a state.
    ///
    /// - Parameter whole: the state with its secrets; nil where it has none.
    /// - Returns: nil where there is one of the name.
    func make(
        _ name: SessionName, _ new: NewSession, _ state: StoredState, whole: [UInt8]?, _ me: Int64
    ) async throws(JournalFailure) -> Lease? {
        var (state, key) = (state, nil as (key: SealingKey, sealed: [UInt8])?)
        if let whole {
            guard let made = StoredSession.makeKey(of: name, by: master) else { throw .missingKey }
            state.seal(whole, by: made.key)
            key = made
        }
        let parameters: [Parameter] = [
            .text(name.description), .text(new.epoch), .integer(new.created.milliseconds),
            .integer(Int64(new.maker)), .integer(Int64(new.schema)), .integer(me),
            .sum(state.chain), .integer(new.alarm?.milliseconds), .bytes(key?.sealed),
        ]
        try await takeRoom(below: new.sessionCount, me)
        // Somebody else may have made it meanwhile.
        let found = try await run(statements.make(parameters + state.parameters(of: name)))
        guard let row = found.first else { return nil }
        var session = try StoredSession(row)
        (session.key, session.tail.stateByteCount) = (key?.key, state.document.json.count)
        try begin(session, me)
        return session.lease
    }

    /// Throws where there are so many sessions that there may be no more. Counting takes its time: a part of
    /// the room that there is counts as this server's until the next.
    private func takeRoom(below count: Int, _ me: Int64) async throws(JournalFailure) {
        let losses = life.lossCount
        let isThere = room.withLock { room in
            // What was this server's before it was taken for dead is others' by now.
            room = (room.losses == losses ? room.count - 1 : -1, losses)
            return room.count >= 0
        }
        guard !isThere, count < .max else { return }
        let found = try await run(
            [statements.alone(), statements.reserve(.integer(Int64(count)), .integer(me))])
        guard let row = found[1].first else { throw .unavailable }
        let taken = Int(clamping: row.number(0))
        guard taken > 0 else { throw .tooManySessions }
        room.withLock { $0 = (taken - 1, losses) }
    }

    /// Appends entries behind `batch.expected`, all or none.
    public func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        appender.append(batch, entries)
    }

    /// Marks it in the page.
    public func reduces(_ lease: Lease, to version: UInt64, isDone: Bool, on loop: Int?) {
        page?.mark(lease.session, at: version, isDone: isDone, on: loop)
    }

    /// Keeps what the session's work needs to go on.
    public func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        guard !isAsleep else { return try await release([Release(lease, work)]) }
        let head = try appender.session(lease)
        if work != nil { try await keep(head, work: work) }
    }

    /// Keeps the state at a session's end: its newest one, and the patches behind it; or one shortly
    /// before that is known.
    ///
    /// - Parameter isOpen: false: whoever has the session.
    func keep(
        _ session: StoredSession, isOpen: Bool = true, having known: StoredDocument? = nil,
        work: KeptWork? = nil
    ) async throws(JournalFailure) {
        for _ in 0..<8 {
            let passage = try await read(session, around: session.version, on: .reading)
            var state = try passage.state(
                having: known, epoch: session.summary.epoch, hash: hash,
                by: try? session.key(by: master))
            state.work = work ?? state.work
            let (id, name) = (Parameter.integer(session.id), session.name)
            let lease = Parameter.integer(isOpen ? session.lease.number : nil)
            let parameters: [Parameter] =
                [id, lease] + state.parameters(of: name) + [
                    .version(passage.base.document.version), .sum(passage.base.sum(of: name)),
                ]
            let kept = try await run([statements.lock(id), statements.keep(parameters)])
            if !kept[1].isEmpty {
                return appender.inbox.withLock { inbox in
                    inbox.change(session.lease) { $0.tail = Tail(state, to: $0.version) }
                }
            }
        }
        throw .heldElsewhere
    }

    /// The keys of earlier entries, the oldest first.
    public func keys(
        of lease: Lease, since: Timestamp
    ) async throws(JournalFailure) -> [KeptKey] {
        let rows = try await run(
            statements.keys(.integer(lease.session), .integer(since.milliseconds)), on: .reading)
        return try KeyList.keys(of: rows.map { KeyList(bytes: $0.bytes(0) ?? []) })
    }

    /// Makes the entries up to a version unreadable for ever.
    public func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {
        let session = try appender.session(lease)
        var passage = try await read(session, through: version, on: .reading)
        let end = passage.end(ofBatchAt: version)
        // A state that is kept there may know more of the work than those entries.
        if end > version { passage = try await read(session, through: end, on: .reading) }
        var state = try passage.state(
            at: end, epoch: session.summary.epoch, hash: hash, by: try? session.key(by: master))
        let since = Timestamp(milliseconds: Instant.readWallClock() - 24 * 3_600_000)
        let older = try await keys(of: lease, since: since)
        state.keys = KeyList(
            older.filter { $0.last <= passage.base.document.version }
                + (try passage.keys(through: end, by: hash)))
        try await change(
            statements.forget(lease.parameters + state.parameters(of: session.name)))
    }

    /// Ends a session, whatever can be read of it, unless another server has it.
    public func erase(_ name: SessionName) async throws(JournalFailure) {
        try await erase(name, freesName: false)
    }

    /// - Parameter freesName: there may be another one of the name at once.
    func erase(_ name: SessionName, freesName: Bool) async throws(JournalFailure) {
        let nameHash = Parameter.bytes(hash.hash(of: Array(name.description.utf8)))
        let free: Statement = "DELETE FROM ended WHERE name_hash = $1::bytea"
        let calls =
            [statements.erase(.text(name.description), nameHash, .integer(try life.id()))]
            + (freesName ? [free.once(nameHash)] : [])
        for isSecond in [false, true] {
            if let row = try await run(calls)[0].first {
                return appender.inbox.withLock { $0.drop(row.number(0)) }
            }
            let columns = [[.text(name.description), nameHash]].columns
            guard try await run(statements.look(columns)).first?.number(0) == 1 else { return }
            // Who has it may have died just now.
            if !isSecond { await life.endDead() }
        }
        throw .heldElsewhere
    }

    // MARK: All sessions

    /// Sessions in the order of their names.
    public func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        let call = statements.sessions(.text(name?.description ?? ""), .integer(Int64(limit)))
        return try await run(call, on: .past).compactMap { try? StoredSession($0).summary }
    }

    /// Sessions whose earliest alarm is due, of those that no other server has.
    public func alarms(
        until: Timestamp, limit: Int
    ) async throws(JournalFailure) -> DueAlarms {
        let count = max(Int64(clamping: limit) &+ 1, 1)
        let call = statements.alarms(
            .integer(count), .integer(try life.id()), .integer(until.milliseconds))
        let found = try await run(call, on: .past).compactMap { try? StoredSession($0).summary }
        return found.due(until: until, limit: limit)
    }

    /// Takes in nothing more, and finishes what was taken in; what this process has may then be opened by
    /// others.
    public func close() async {
        appender.inbox.withLock { $0.refusal = .unavailable }
        // All at once: each has its time to end what is under way.
        await withTaskGroup { group in
            group.addTask { await self.housekeeping.close() }
            for thread in threads where thread !== life.thread {
                group.addTask { await thread.close() }
            }
        }
        // Where it fails, the row is ended by whoever finds its lock free.
        _ = try? await run(Statements.finish(.integer(try life.id())), on: .living)
        await life.thread.close()
    }
}
