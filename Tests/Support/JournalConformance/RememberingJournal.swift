package import Journaling
package import Redux
import StateCoding
import Threads

/// A journal in memory that keeps each session's last entries and the state before them: what the laws
/// say, in the fewest words, for tests that want a restart without a disk.
package final class RememberingJournal: Journal {
    private struct Table {
        var sessions: [SessionName: RememberedSession] = [:]
        var names: [Int64: SessionName] = [:]
        var ended: [SessionName: Timestamp] = [:]
    }

    private let history: ReadLimit
    private let now: @Sendable () -> Timestamp
    private let table = Lock(Table())

    /// - Parameters:
    ///   - history: the most that is kept of one session's entries.
    ///   - now: the wall clock, by which names of ended sessions become free.
    package init(
        history: ReadLimit = ReadLimit(entryCount: 10_000, byteCount: 16 << 20),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(milliseconds: 0) }
    ) {
        self.history = history
        self.now = now
    }

    package var mode: JournalMode { .memory }
    package var keepsEntries: Bool { true }

    // MARK: One session

    package func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        try table.withLock { table throws(JournalFailure) in
            if table.sessions[name] != nil { return try table.sessions[name]?.open() }
            if let end = table.ended[name], now() < end { throw .ended }
            guard let new else { return nil }
            let lease = Lease(session: Int64(table.names.count + 1), number: 1)
            table.sessions[name] = try RememberedSession(new, lease)
            table.names[lease.session] = name
            return Self.made(new, lease)
        }
    }

    private static func made(_ new: NewSession, _ lease: Lease) -> OpenedSession {
        OpenedSession(lease: lease, epoch: new.epoch, created: new.created, document: nil)
    }

    package func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        table.withLock { table in
            guard let name = table.names[batch.lease.session],
                let outcome = table.sessions[name]?.append(batch, entries, history)
            else { return .stale }
            return outcome
        }
    }

    package func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        try change(lease) { session in
            if let work { session.work = work }
            if isAsleep { session.lease = Lease(session: lease.session, number: lease.number + 1) }
        }
    }

    package func keys(of lease: Lease, since: Timestamp) async throws(JournalFailure) -> [KeptKey] {
        []
    }

    package func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {
        try change(lease) { session throws(JournalFailure) in try session.forget(through: version) }
    }

    package func erase(_ lease: Lease) async throws(JournalFailure) {
        try table.withLock { table throws(JournalFailure) in
            guard let name = table.names[lease.session], table.sessions[name]?.lease == lease
            else { throw .heldElsewhere }
            table.sessions[name] = nil
            table.ended[name] = now() + .seconds(3600)
        }
    }

    private func change(
        _ lease: Lease, _ body: (inout RememberedSession) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        try table.withLock { table throws(JournalFailure) in
            guard let name = table.names[lease.session], var session = table.sessions[name],
                session.lease == lease
            else { throw .heldElsewhere }
            try body(&session)
            table.sessions[name] = session
        }
    }

    // MARK: History

    package func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        try remembered(name).entries(after: version, limit)
    }

    package func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        try remembered(name).document(at: version, withSecrets: false)
    }

    private func remembered(_ name: SessionName) throws(JournalFailure) -> RememberedSession {
        guard let session = table.withLock({ $0.sessions[name] }) else {
            throw .compacted(oldest: nil)
        }
        return session
    }

    // MARK: All sessions

    package func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        let after = name?.description ?? ""
        let sessions = table.withLock { table in
            table.sessions.filter { $0.key.description > after }
        }
        return sessions.sorted { $0.key.description < $1.key.description }.prefix(limit).map {
            $0.value.summary(named: $0.key)
        }
    }

    package func alarms(
        until: Timestamp, limit: Int
    ) async throws(JournalFailure) -> DueAlarms {
        let all = table.withLock { table in
            table.sessions.compactMap { name, session in session.alarm.map { (name, $0) } }
        }.sorted { $0.1 < $1.1 }
        let due = all.prefix { $0.1 <= until }.prefix(limit)
        return (due: due.map(\.0), next: all.dropFirst(due.count).first?.1)
    }

    package func close() async {}
}

/// One session in memory: a state, and the entries behind it.
private struct RememberedSession {
    var lease: Lease
    var work: KeptWork?
    private(set) var alarm: Timestamp?
    private let epoch: String
    private let created: Timestamp
    /// The oldest state, with its secrets and without.
    private var base: (shown: StoredDocument, whole: [UInt8])
    private var entries: [EncodedEntry] = []
    /// The schemas that entries have begun, by their versions.
    private var schemas: [(version: UInt64, schema: Int)] = []

    init(_ new: NewSession, _ lease: Lease) throws(JournalFailure) {
        self.lease = lease
        (epoch, created) = (new.epoch, new.created)
        do throws(EncodingFailure) {
            let json = try new.document()
            base = (
                StoredDocument(
                    version: 0, lastChange: 0, lastTime: nil, schema: new.schema, json: json),
                json
            )
        } catch {
            throw .unavailable
        }
    }

    private var head: UInt64 { base.shown.version + UInt64(entries.count) }

    mutating func open() throws(JournalFailure) -> OpenedSession {
        lease = Lease(session: lease.session, number: lease.number + 1)
        let document = try document(at: head, withSecrets: true)
        return OpenedSession(
            lease: lease, epoch: epoch, created: created, document: document, keys: keys(),
            keysBegin: 0, work: work)
    }

    private func keys() -> [KeptKey] {
        var first = base.shown.version + 1
        return entries.filter(\.isLast).compactMap { entry in
            defer { first = entry.version + 1 }
            return try? KeptKey(in: entry, first: first)
        }
    }

    mutating func append(
        _ batch: AppendBatch, _ new: [EncodedEntry], _ bounds: ReadLimit
    ) -> AppendOutcome {
        guard batch.lease == lease else { return .stale }
        guard batch.expected == head else { return .refused(.unavailable) }
        if let schema = batch.schema { schemas.append((head + 1, schema)) }
        entries += new
        switch batch.alarm {
        case .unchanged: break
        case .none: alarm = nil
        case .at(let time): alarm = time
        }
        trim(bounds)
        return .kept
    }

    /// Moves the base on where the entries are too many, by an eighth more than must be.
    private mutating func trim(_ bounds: ReadLimit) {
        var byteCount = entries.reduce(0) { $0 + $1.byteCount }
        guard entries.count > bounds.entryCount || byteCount > bounds.byteCount else { return }
        var count = 0
        while entries.count - count > bounds.entryCount / 8 * 7
            || byteCount > bounds.byteCount / 8 * 7, count < entries.count
        {
            byteCount -= entries[count].byteCount
            count += 1
        }
        try? forget(through: base.shown.version + UInt64(count))
    }

    mutating func forget(through version: UInt64) throws(JournalFailure) {
        let shown = try document(at: version, withSecrets: false)
        let whole = try document(at: version, withSecrets: true).json
        entries.removeFirst(Int(shown.version - base.shown.version))
        base = (shown, whole)
    }

    func entries(
        after version: UInt64, _ limit: ReadLimit
    ) throws(JournalFailure) -> [EncodedEntry] {
        guard version >= base.shown.version else {
            throw .compacted(oldest: base.shown.version)
        }
        guard version < head else { return [] }
        let rest = entries.dropFirst(Int(version - base.shown.version)).prefix(limit.entryCount)
        var byteCount = 0
        return rest.prefix { entry in
            byteCount += entry.byteCount
            return byteCount <= limit.byteCount || entry.version == version + 1
        }.map(\.withoutSecrets)
    }

    func document(
        at version: UInt64, withSecrets: Bool
    ) throws(JournalFailure) -> StoredDocument {
        guard version >= base.shown.version, version <= head else {
            throw .compacted(oldest: base.shown.version)
        }
        var found = base.shown
        var document = PatchedDocument(withSecrets ? base.whole : base.shown.json)
        let past = entries.prefix(Int(version - base.shown.version))
        let visible = past.lastIndex(where: \.isLast).map { past.prefix($0 + 1) } ?? []
        for entry in visible {
            (found.version, found.lastTime) = (entry.version, entry.at)
            if entry.patch != nil || entry.secrets != nil { found.lastChange = entry.version }
            do throws(PatchFailure) {
                if let patch = entry.patch { try document.apply(patch.span) }
                if withSecrets, let secrets = entry.secrets {
                    try document.apply(secrets.value.span)
                }
            } catch {
                throw .damaged(good: entry.version - 1)
            }
        }
        found.schema =
            schemas.last { $0.version <= found.version }?.schema ?? base.shown.schema
        found.json = document.bytes()
        return found
    }

    func summary(named name: SessionName) -> SessionSummary {
        SessionSummary(
            name: name, created: created, version: head,
            lastTime: entries.last?.at ?? base.shown.lastTime ?? created, alarm: alarm)
    }
}
