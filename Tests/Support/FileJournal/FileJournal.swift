import Glibc
public import Journaling
public import Redux
import Synchronization

/// Sessions in one file, which one process has: what is appended is synced before it is told, all that
/// has come meanwhile at a time.
///
/// The smallest journal that keeps every law of `JournalConformance`, written with nothing but what
/// products of this package give: a beginning for one's own. Openings read all of a session's entries,
/// secrets are refused, and a file that cannot be written is given up.
public final class FileJournal: Journal {
    /// Makes names that last as long as the file.
    public let hash: KeyedHash
    private let file: RecordFile
    private let table: Mutex<Table>

    /// Opens the file, or makes it.
    public init(_ path: String) throws(JournalFailure) {
        let file = try RecordFile(path)
        var table = Table()
        while let record = file.read(at: table.end) { table.take(record) }
        file.cut(at: table.end)
        if table.key == nil {
            table.write(Record(.key, [0], [KeyedHash.makeKey()]))
        }
        hash = KeyedHash(key: table.key ?? [])
        self.file = file
        self.table = Mutex(table)
    }

    /// `durable`
    public var mode: JournalMode { .durable }
    /// It wants the bytes of entries.
    public var keepsEntries: Bool { true }

    // MARK: One session

    /// Takes a session over, or makes it.
    public func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        try await finishWriting()
        let found = try table.withLock { table throws(JournalFailure) in try table.lease(name) }
        if let (session, lease) = found { return try open(session, lease) }
        guard let new else { return nil }
        let json: [UInt8]
        do {
            guard try new.secrets() == nil else { throw JournalFailure.missingKey }
            json = try new.document()
        } catch {
            throw (error as? JournalFailure) ?? .unavailable
        }
        let lease = try table.withLock { table throws(JournalFailure) in
            // Somebody else may have made it meanwhile, and has it.
            guard table.numbers[name] == nil else { throw .heldElsewhere }
            guard table.numbers.count < new.sessionCount else { throw .tooManySessions }
            return table.make(name, new, json)
        }
        try await finishWriting()
        return OpenedSession(
            lease: lease, epoch: new.epoch, created: new.created, document: nil)
    }

    private func open(
        _ session: KeptSession, _ lease: Lease
    ) throws(JournalFailure) -> OpenedSession {
        let entries = try read(session, after: session.base.version)
        var opened = OpenedSession(
            lease: lease, epoch: session.epoch, created: session.created,
            document: try document(of: session, at: session.version),
            keys: session.keys(behind: entries, by: hash),
            work: try session.work(behind: entries))
        opened.maker = session.maker
        return opened
    }

    /// Appends entries behind `batch.expected`, all or none.
    public func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        let outcome: AppendOutcome? = table.withLock { table in
            guard !table.isClosed else { return .refused(.unavailable) }
            guard let session = table.sessions[batch.lease.session],
                session.lease == batch.lease.number
            else { return .stale }
            guard session.version == batch.expected else { return .refused(.unavailable) }
            guard entries.allSatisfy({ $0.secrets == nil }) else { return .refused(.missingKey) }
            table.write(Record(batch, entries))
            table.inbox.tickets.append((batch.receiver, batch.ticket))
            return nil
        }
        if outcome == nil { startWriting() }
        return outcome
    }

    /// Keeps what the session's work needs to go on.
    public func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        try change(lease) { table in
            if let work { table.write(Record(work, of: lease.session)) }
            if isAsleep { table.sessions[lease.session]?.lease = nil }
        }
        try await finishWriting()
    }

    /// Overwrites the entries up to a version, and the states before it.
    public func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {
        try await finishWriting()
        var found: KeptSession?
        try change(lease) { found = $0.sessions[lease.session] }
        guard let found else { return }
        var version = version
        if version > found.base.version {
            // One patch tells what a batch has changed: the rest of it goes as well.
            version = found.batches.first { $0.last >= version }?.last ?? version
        }
        let document = try document(of: found, at: version)
        let count = Int(version - found.base.version)
        let entries = try read(found, after: found.base.version, count: count)
        let work = try found.work(behind: entries)
        // They count for a day, whatever becomes of their entries.
        let keys = found.keys(behind: entries, by: hash).filter {
            $0.at.milliseconds > now - 24 * 3_600_000
        }
        try change(lease) { table in
            if let work, work != found.work { table.write(Record(work, of: lease.session)) }
            let alarm = table.sessions[lease.session]?.alarm
            table.write(Record(document, keys, alarm: alarm, of: lease.session))
        }
        try await finishWriting()
    }

    /// Ends a session, and overwrites all of it but its name.
    public func erase(_ name: SessionName) async throws(JournalFailure) {
        try table.withLock { table throws(JournalFailure) in
            guard !table.isClosed else { throw .unavailable }
            guard let number = table.numbers[name] else { return }
            table.write(
                Record(
                    .ended, [number, now + 3_600_000],
                    [Array(name.mount.utf8), Array(name.id.utf8)]))
        }
        try await finishWriting()
    }

    private func change(
        _ lease: Lease, _ body: (inout Table) -> Void
    ) throws(JournalFailure) {
        try table.withLock { table throws(JournalFailure) in
            guard !table.isClosed else { throw .unavailable }
            guard table.sessions[lease.session]?.lease == lease.number else {
                throw .heldElsewhere
            }
            body(&table)
        }
    }

    // MARK: History

    /// Consecutive entries behind a version.
    public func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        let session = try await session(name)
        guard version >= session.base.version else {
            throw .compacted(oldest: session.base.version)
        }
        var byteCount = 0
        return try read(session, after: version, count: limit.entryCount).prefix { entry in
            byteCount += entry.byteCount
            return byteCount <= limit.byteCount || entry.version == version + 1
        }.map(\.withoutSecrets)
    }

    /// The state that was visible at a version or last before it.
    public func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        try document(of: try await session(name), at: version)
    }

    private func session(_ name: SessionName) async throws(JournalFailure) -> KeptSession {
        try await finishWriting()
        let found = table.withLock { table in
            table.numbers[name].flatMap { table.sessions[$0] }
        }
        guard let found else { throw .compacted(oldest: nil) }
        return found
    }

    private func document(
        of session: KeptSession, at version: UInt64
    ) throws(JournalFailure) -> StoredDocument {
        var document = session.base
        guard version >= document.version, version <= session.version else {
            throw .compacted(oldest: document.version)
        }
        let count = Int(version - document.version)
        try document.apply(try read(session, after: document.version, count: count))
        document.schema =
            session.schemas.last { $0.version <= document.version }?.schema ?? document.schema
        return document
    }

    private func read(
        _ session: KeptSession, after version: UInt64, count: Int = .max
    ) throws(JournalFailure) -> [EncodedEntry] {
        var entries: [EncodedEntry] = []
        for batch in session.batches where batch.last > version && entries.count < count {
            guard let record = file.read(at: batch.place) else { throw .damaged(good: nil) }
            // It was forgotten meanwhile.
            guard record.kind == .entries else { throw .compacted(oldest: nil) }
            entries += record.entries.filter { $0.version > version }
        }
        return Array(entries.prefix(count))
    }

    // MARK: All sessions

    /// Sessions in the order of their names.
    public func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        let all = table.withLock { $0.sessions.values.map(\.summary) }
        return Array(
            all.filter { $0.name.description > name?.description ?? "" }
                .sorted { $0.name.description < $1.name.description }.prefix(limit))
    }

    /// Sessions whose earliest alarm is due.
    public func alarms(until: Timestamp, limit: Int) async throws(JournalFailure) -> DueAlarms {
        let all = table.withLock { table in
            table.sessions.values.compactMap { session in
                session.alarm.map { (session.name, $0) }
            }
        }.sorted { $0.1 < $1.1 }
        let due = all.prefix { $0.1 <= until }.prefix(limit)
        return (due: due.map(\.0), next: all.dropFirst(due.count).first?.1)
    }

    /// Takes in nothing more, and finishes what was taken in.
    public func close() async {
        table.withLock { $0.isClosed = true }
        try? await finishWriting()
        file.unlock()
    }

    // MARK: Writing

    /// Waits until all that was handed over is on the disk.
    private func finishWriting() async throws(JournalFailure) {
        let isWritten = await withCheckedContinuation { waiting in
            table.withLock { $0.inbox.waiting.append(waiting) }
            startWriting()
        }
        guard isWritten else { throw .unavailable }
    }

    private func startWriting() {
        let isIdle = table.withLock { table in
            defer { table.isWriting = true }
            return !table.isWriting
        }
        if isIdle { Task { writeAll() } }
    }

    private func writeAll() {
        while true {
            let inbox = table.withLock { table -> Inbox? in
                table.isWriting = !table.inbox.isEmpty
                defer { table.inbox = Inbox() }
                return table.isWriting ? table.inbox : nil
            }
            guard let inbox else { return }
            let isWritten = file.append(inbox.bytes) && file.void(inbox.voids)
            // What was written in part may be found at the next opening, or not.
            if !isWritten { table.withLock { $0.isClosed = true } }
            inbox.report(isWritten ? .kept : .unknown)
        }
    }
}

/// What waits for the file, and who is told of it.
private struct Inbox {
    var bytes: [UInt8] = []
    /// The places of records that are to be overwritten behind it.
    var voids: [Int] = []
    var tickets: [(receiver: any AppendReceiver, ticket: UInt64)] = []
    var waiting: [CheckedContinuation<Bool, Never>] = []

    var isEmpty: Bool { bytes.isEmpty && waiting.isEmpty }

    /// One call for each receiver.
    func report(_ outcome: AppendOutcome) {
        let groups = Dictionary(grouping: tickets) { ObjectIdentifier($0.receiver) }
        for group in groups.values {
            group[0].receiver.appended(group.map { ($0.ticket, outcome) })
        }
        for waiting in waiting { waiting.resume(returning: outcome == .kept) }
    }
}

private var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}

/// What the file's records have made.
private struct Table {
    var key: [UInt8]?
    var sessions: [Int64: KeptSession] = [:]
    var numbers: [SessionName: Int64] = [:]
    /// When the names of ended sessions become free.
    var ended: [SessionName: Int64] = [:]
    /// The length of the file behind the last record.
    var end = 0
    var inbox = Inbox()
    var isWriting = false
    var isClosed = false
    private var leaseCount: Int64 = 0
    private var sessionCount: Int64 = 0

    /// Takes a record in, and has it written.
    mutating func write(_ record: Record) {
        var record = record
        record.write(to: &inbox.bytes)
        take(record)
    }

    /// Takes in a record that stands in the file, behind the last one.
    mutating func take(_ record: Record) {
        let (place, number) = (end, record.numbers.first ?? 0)
        end += record.byteCount
        switch record.kind {
        case .void: break
        case .key: key = record.texts[0]
        case .made:
            let session = KeptSession(record, at: place)
            (sessions[number], numbers[session.name]) = (session, number)
            sessionCount = max(sessionCount, number)
        case .state: inbox.voids += sessions[number]?.begin(record, at: place) ?? []
        case .entries: sessions[number]?.append(record, at: place)
        case .work:
            if let former = sessions[number]?.keep(record, at: place) { inbox.voids.append(former) }
        case .ended:
            ended[record.name(at: 0)] = record.numbers[1]
            guard let session = sessions.removeValue(forKey: number) else { return }
            numbers[session.name] = nil
            inbox.voids += session.allPlaces
        }
    }

    /// Gives the right to append to a session that is there.
    mutating func lease(_ name: SessionName) throws(JournalFailure) -> (KeptSession, Lease)? {
        guard !isClosed else { throw .unavailable }
        if let end = ended[name], now < end { throw .ended }
        guard let number = numbers[name] else { return nil }
        leaseCount += 1
        sessions[number]?.lease = leaseCount
        return sessions[number].map { ($0, Lease(session: number, number: leaseCount)) }
    }

    mutating func make(_ name: SessionName, _ new: NewSession, _ json: [UInt8]) -> Lease {
        let number = sessionCount + 1
        write(
            Record(
                .made, [number, new.created.milliseconds, Int64(new.maker)],
                [Array(name.mount.utf8), Array(name.id.utf8), Array(new.epoch.utf8)]))
        let document = StoredDocument(
            version: 0, lastChange: 0, lastTime: nil, schema: new.schema, json: json)
        write(Record(document, [], alarm: new.alarm, of: number))
        leaseCount += 1
        sessions[number]?.lease = leaseCount
        return Lease(session: number, number: leaseCount)
    }
}
