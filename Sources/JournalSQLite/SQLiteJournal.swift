import Accounting
import GRDB
public import Journaling
public import Redux
import SQLite
import Threads

/// Sessions in an SQLite database: what is acknowledged outlives a power loss.
///
///     let journal = try SQLiteJournal(directory: "/var/lib/shop/journal")
///
/// The directory is made where it is missing (its parent has to be there), for the server's user alone
/// (mode 0700), and one process has it at a time. It holds the database, its log, a lock, and a reserve
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

        var keptMilliseconds: Int64 { keptDuration.components.seconds * 1_000 }
        /// The wall clock.
        package var now: @Sendable () -> Int64 = { Instant.readWallClock() }
    }

    private let folder: DataFolder
    private let writer: Writer
    /// Two, for restores take their time.
    private let readers: [DatabaseQueue]
    private let options: Options
    public let hash: KeyedHash

    /// Opens the journal in a directory, or makes it. After a crash this reads at most 64 MiB of entries.
    public init(directory: String, options: Options = Options()) throws(JournalRefusal) {
        self.options = options
        do {
            folder = try DataFolder(directory)
            let connection = try WritingConnection(folder, options)
            hash = connection.books.hash
            readers = [try WritingConnection.reader(folder), try WritingConnection.reader(folder)]
            writer = try Writer(connection, folder, options)
        } catch let refusal as JournalRefusal {
            throw refusal
        } catch JournalFailure.newerFormat(let format) {
            throw JournalRefusal("\(directory) is of a newer build (format \(format)).")
        } catch let refusal as FolderRefusal {
            throw JournalRefusal(refusal.description)
        } catch {
            throw JournalRefusal("The journal in \(directory) cannot be opened: \(error)")
        }
    }
}

/// A journal cannot be opened; the description says what a person does about it.
public struct JournalRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with the path.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension SQLiteJournal: Journal {
    public var mode: JournalMode { .durable }
    public var keepsEntries: Bool { true }

    // MARK: One session

    public func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        if let found = try await lease(name) {
            return try await read { try found.open(in: $0) }
        }
        guard let new else { return nil }
        return try await make(name, new)
    }

    private func lease(_ name: SessionName) async throws(JournalFailure) -> Located? {
        let now = options.now()
        return try await writer.perform { books, database in
            guard let row = try SessionRow.find(name, in: database) else {
                try books.checkEnded(name, now: now, in: database)
                return nil
            }
            var found = Located(row, try books.head(of: row, in: database).place)
            found.key = try books.sealing.key(of: row.id, in: database)
            found.lease = try books.lease(row, in: database)
            return found
        }
    }

    private func make(
        _ name: SessionName, _ new: NewSession
    ) async throws(JournalFailure) -> OpenedSession {
        let json: [UInt8]
        let secrets: Secret<[UInt8]>?
        do throws(NewSession.Failure) {
            (json, secrets) = (try new.document(), try new.secrets())
        } catch {
            throw .unavailable
        }
        let lease = try await writer.perform { books, database -> Lease? in
            guard try SessionRow.find(name, in: database) == nil else { return nil }
            return try books.make(name, new, json: json, secrets: secrets, in: database)
        }
        // Somebody else has made it meanwhile, and has it.
        guard let lease else { throw .heldElsewhere }
        return OpenedSession(
            lease: lease, epoch: new.epoch, created: new.created, document: nil)
    }

    public func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        writer.append(batch, entries)
    }

    public func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        try await writer.perform { books, database in
            try books.keep(work, of: lease, isAsleep: isAsleep, in: database)
        }
    }

    public func keys(
        of lease: Lease, since: Timestamp
    ) async throws(JournalFailure) -> [KeptKey] {
        try await read { database in
            try SnapshotRow.keys(of: lease.session, since: since.milliseconds, in: database)
        }
    }

    public func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {
        let now = options.now()
        try await writer.perform { books, database in
            try books.forget(lease, through: version, now: now, in: database)
        }
    }

    public func erase(_ lease: Lease) async throws(JournalFailure) {
        let now = options.now()
        try await writer.perform { books, database in
            try books.erase(lease, now: now, in: database)
        }
    }

    // MARK: History

    public func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        let found = try await locate(name)
        return try await read { try found.entries(after: version, limit, in: $0) }
    }

    public func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        let found = try await locate(name)
        return try await read { try found.document(at: version, in: $0) }
    }

    private func locate(_ name: SessionName) async throws(JournalFailure) -> Located {
        try await writer.perform { books, database in
            guard let row = try SessionRow.find(name, in: database) else {
                throw JournalFailure.compacted(oldest: nil)
            }
            return Located(row, try books.head(of: row, in: database).place)
        }
    }

    /// Reads on a connection that never writes, while the writer goes on.
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalFailure) -> Value {
        do {
            return try await readers[Int.random(in: readers.indices)].read(body)
        } catch {
            throw JournalFailure(error)
        }
    }

    // MARK: All sessions

    public func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        try await writer.perform { books, database in
            var (found, last): ([SessionSummary], _) = ([], name?.description ?? "")
            // A page of sessions that are all damaged is not the end.
            while found.isEmpty {
                let rows = try database.rows(
                    """
                    SELECT \(SessionRow.columns) FROM session WHERE name > ?1 AND status = 0
                    ORDER BY name LIMIT ?2
                    """, .text(last), .integer(Int64(limit)))
                guard let end = rows.last else { break }
                last = end[1].text
                found = rows.compactMap { SessionRow(whole: $0) }.map { row in
                    var row = row
                    row.place = books.heads[row.id]?.place ?? row.place
                    return row.summary
                }
            }
            return found
        }
    }

    public func alarms(
        until: Timestamp, limit: Int
    ) async throws(JournalFailure) -> DueAlarms {
        try await read { database in
            let rows = try database.rows(
                """
                SELECT \(SessionRow.columns) FROM session WHERE alarm IS NOT NULL
                ORDER BY alarm LIMIT ?1
                """, .integer(Int64(limit) + 1)
            ).compactMap { SessionRow(whole: $0) }
            let due = rows.prefix(limit).prefix {
                $0.place.alarm.map { $0 <= until.milliseconds } ?? false
            }
            return DueAlarms(
                due: due.map(\.name), next: rows.dropFirst(due.count).first?.summary.alarm)
        }
    }

    public func close() async {
        await writer.close()
        for reader in readers { try? reader.close() }
        folder.unlock()
    }

    /// Copies the journal, as it is at one moment, into a file, while it goes on.
    package func copy(to path: String) async throws(JournalFailure) {
        try await read { database in
            let copy = try DatabaseQueue(path: path)
            try copy.writeWithoutTransaction { try database.backup(to: $0) }
            try copy.close()
        }
    }
}
