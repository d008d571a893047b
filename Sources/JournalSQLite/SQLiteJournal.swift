import Bytes
import JournalRows
public import Journaling
public import Redux
import SQLite
import Sodium
import Threads

/// Sessions in an SQLite database: what is acknowledged outlives a power loss.
///
///     let journal = try SQLiteJournal(directory: "/var/lib/shop/journal")
///
/// The directory is made where it is missing, with those above it, for the server's user alone (mode
/// 0700), and one process has it at a time. It holds the database, its log, a lock, and a reserve
/// of 16 MiB that is given up where the disk is full.
public final class SQLiteJournal: Sendable {
    /// How long entries are kept, and how much of them.
    public struct Options: Sendable {
        /// Entries older than this go, seven days unless set; none goes within 24 hours, for that long
        /// idempotency keys count. Each session's state stays.
        public var keptDuration = Duration.seconds(7 * 24 * 3600)
        /// The bytes of the database beyond which the oldest entries go, 64 GiB unless set; where none may
        /// go, appends are refused.
        public var byteCount: Int64 = 64 << 30

        /// The file of the key by which secrets are sealed; `journal.key` in the directory unless set.
        /// It is made with the first secret. A backup without it has no secrets, and a journal without
        /// it does not open the sessions that have some.
        public var keyFile: String?

        /// Seven days, and 64 GiB.
        public init() {}

        func keyFile(in directory: String) -> String { keyFile ?? "\(directory)/journal.key" }
        var keptMilliseconds: Int64 { keptDuration.components.seconds * 1_000 }
        /// The time by which ages count, with the lead that the journal has.
        package var now: @Sendable (Int64) -> Int64 = { Instant.readAgeClock(lead: $0) }
    }

    private let folder: DataFolder
    private let page: ReductionPage?
    private let writer: Writer
    /// Two, for restores take their time; and one for the past, for which no restore waits.
    private let readers: DatabaseReaders
    private let pastReader: DatabaseReaders
    /// Makes names of what clients give that last as long as the journal.
    public let hash: KeyedHash

    /// Opens the journal in a directory, or makes it. After a crash this reads at most 64 MiB of entries.
    public init(directory: String, options: Options = Options()) throws(JournalRefusal) {
        var opened: [DatabaseReaders] = []
        do {
            folder = try DataFolder(directory)
            page = ReductionPage("\(folder.path)/journal.reducing", now: options.now(0))
            var connection = try WritingConnection(folder, options)
            connection.books.suspects = page?.suspects ?? [:]
            hash = connection.books.hash
            let path = folder.database
            for count in [2, 1] { opened.append(try DatabaseReaders(path, count: count)) }
            (readers, pastReader) = (opened[0], opened[1])
            writer = try Writer(connection, folder, options)
        } catch {
            for readers in opened { readers.close() }
            throw JournalRefusal(error, directory)
        }
    }
}

extension JournalRefusal {
    init(_ error: any Error, _ directory: String) {
        switch error {
        case let refusal as JournalRefusal: self = refusal
        case let refusal as FolderRefusal: self.init(refusal.description)
        case let error as TransactionFailure: self.init(error.reason, directory)
        default: self.init("The journal in \(directory) cannot be opened: \(error)")
        }
    }
}

extension SQLiteJournal: Journal {
    /// `durable`
    public var mode: JournalMode { .durable }
    /// It wants the bytes of entries.
    public var keepsEntries: Bool { true }

    /// 16 MiB wait, or 65,536 batches.
    public var isBusy: Bool { writer.isBusy }

    /// It is not there while the database is opened again after a failure.
    public var status: JournalStatus { writer.status }

    // MARK: One session

    /// Takes a session over, or makes it.
    public func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        let found = try await writer.perform { books, database in
            guard let row = try Self.locate(name, books, database) else {
                try books.checkEnded(name, in: database)
                return nil as (SessionRow, Lease, SealingKey?, ReductionPage.Suspect?)?
            }
            let key = try books.sealing.key(of: row.id, in: database)
            var lease = Lease(session: row.id, number: 0)
            do { lease = try books.lease(row, in: database) } catch JournalFailure.damaged {
                // Who reads it says from where on.
            }
            return (row, lease, key, books.suspects[row.id])
        }
        if let (row, lease, key, suspect) = found {
            return try await read { [hash] in
                try row.passage(through: row.place.version, in: $0).opened(
                    lease, as: row.summary, traps: suspect ?? [:], hash: hash, by: key)
            }
        }
        guard let new else { return nil }
        let beginning = try Self.begin(name, new)
        let made = try await writer.perform { books, database in
            // Somebody else may have made it meanwhile, and has it.
            guard try SessionRow.find(name, in: database) == nil else {
                throw JournalFailure.heldElsewhere
            }
            return try books.make(beginning, below: new.sessionCount, in: database)
        }
        return OpenedSession(
            lease: made, epoch: new.epoch, created: new.created, document: nil)
    }

    private static func begin(
        _ name: SessionName, _ new: NewSession
    ) throws(JournalFailure) -> Beginning {
        let (document, whole) = try new.state()
        return (
            SessionRow(
                name: name, epoch: new.epoch, created: new.created, maker: new.maker,
                place: .init(touched: new.created, alarm: new.alarm)),
            StoredState(document), whole
        )
    }

    /// A session's row, with the end of its entries as the writer knows it. No entry is read: one on a
    /// damaged page would end the transaction.
    private static func locate(
        _ name: SessionName, _ books: Books, _ database: Database
    ) throws -> SessionRow? {
        var row = try SessionRow.find(name, in: database)
        if let found = row { row?.place = books.heads[found.id]?.place ?? found.place }
        return row
    }

    /// Appends entries behind `batch.expected`, all or none.
    public func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        writer.append(batch, entries)
    }

    /// Marks it in the page.
    public func reduces(_ lease: Lease, to version: UInt64, isDone: Bool, on loop: Int?) {
        page?.mark(lease.session, at: version, isDone: isDone, on: loop)
    }

    /// Keeps what the session's work needs to go on.
    public func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        try await writer.perform { try $0.keep(work, of: lease, isAsleep: isAsleep, in: $1) }
    }

    /// The keys of earlier entries, the oldest first.
    public func keys(
        of lease: Lease, since: Timestamp
    ) async throws(JournalFailure) -> [KeptKey] {
        try await read { [hash] database in
            try StoredState.keys(
                of: lease.session, since: since.milliseconds, by: hash, in: database)
        }
    }

    /// Makes the entries up to a version unreadable for ever.
    public func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {
        try await writer.perform { try $0.forget(lease, through: version, in: $1) }
    }

    /// Has a session go on from the state at a version, as far as that can be read.
    public func revert(
        _ name: SessionName, to version: UInt64, by entry: EncodedEntry, epoch: String
    ) async throws(JournalFailure) {
        let (row, key) = try await writer.perform { books, database in
            guard let row = try Self.locate(name, books, database) else {
                throw JournalFailure.compacted(oldest: nil)
            }
            return (row, try books.sealing.key(of: row.id, in: database))
        }
        let (state, end, keys) = try await read(on: pastReader) { [hash] database in
            let state = try row.passage(through: version, in: database)
                .former(at: version, by: key)
            let end = try? row.head(in: database)
            let tail = try? Passage(of: row.id, to: row.place, isWhole: false, in: database)
            let keys = try? tail?.keys(by: hash)
            return (state, end ?? Books.Head(place: row.place, sum: 0), keys)
        }
        try await writer.perform { books, database in
            // Meanwhile it may have gone on, or another have taken its place.
            guard let now = try Self.locate(name, books, database), now.id == row.id,
                now.epoch == row.epoch
            else { throw JournalFailure.compacted(oldest: nil) }
            try books.revert(
                now, to: state, by: entry, epoch: epoch, behind: end, keys, in: database)
        }
    }

    /// Ends a session, whatever can be read of it.
    public func erase(_ name: SessionName) async throws(JournalFailure) {
        try await writer.perform { try $0.erase(name, in: $1) }
    }

    // MARK: History

    /// Consecutive entries behind a version.
    public func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        let (row, _) = try await locate(name)
        return try await read(on: pastReader) { try row.entries(after: version, limit, in: $0) }
    }

    /// The state that was visible at a version or last before it.
    public func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        let (row, suspect) = try await locate(name)
        var found = try await read(on: pastReader) {
            try row.passage(through: version, in: $0).document(at: version)
        }
        found.lease = Lease(session: row.id, number: 0)
        found.isUnsafe = suspect?[found.version] == true
        return found
    }

    private func locate(
        _ name: SessionName
    ) async throws(JournalFailure) -> (SessionRow, ReductionPage.Suspect?) {
        let found = try await writer.perform { books, database in
            try Self.locate(name, books, database).map { ($0, books.suspects[$0.id]) }
        }
        guard let found else { throw .compacted(oldest: nil) }
        return found
    }

    /// Reads on a connection that never writes, while the writer goes on. A reader that has met a damaged page
    /// may go on with others.
    private func read<Value: Sendable>(
        on readers: DatabaseReaders? = nil, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalFailure) -> Value {
        do {
            return try await (readers ?? self.readers).read(body)
        } catch {
            throw JournalFailure(error)
        }
    }

    // MARK: All sessions

    /// Sessions in the order of their names.
    public func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        try await read { database in
            let query = try PreparedQuery(
                "SELECT * FROM session WHERE name > ?1 AND status = 0 ORDER BY name", in: database)
            return try SessionRow.summaries(query, [.text(name?.description ?? "")], limit)
        }
    }

    /// Sessions whose earliest alarm is due.
    public func alarms(
        until: Timestamp, limit: Int
    ) async throws(JournalFailure) -> DueAlarms {
        try await read { database in
            let query = try PreparedQuery(
                "SELECT * FROM session WHERE alarm IS NOT NULL ORDER BY alarm", in: database)
            return try SessionRow.summaries(query, [], limit + 1).due(until: until, limit: limit)
        }
    }

    /// Takes in nothing more, and finishes what was taken in.
    public func close() async {
        await writer.close()
        readers.close()
        pastReader.close()
        folder.unlock()
    }
}
