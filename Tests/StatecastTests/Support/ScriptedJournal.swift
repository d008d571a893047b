import Journaling
import Redux
import Sockets
import StateCoding
import Statecast
import StatecastTesting

/// A journal in memory that keeps what it is given, so that a restart is real, and says of each
/// batch what the test says: at once, later, in any order.
final class ScriptedJournal: Journal {
    /// How batches are answered.
    enum Manner: Sendable {
        /// By `answer`.
        case byHand
        /// Before `append` returns.
        case atOnce(AppendOutcome)
        /// From another thread, after `append` has returned.
        case later
    }

    /// A batch that awaits its outcome.
    private struct OpenBatch {
        var name: SessionName
        var batch: AppendBatch
        var content: [EncodedEntry]
    }

    private struct Script {
        var manner: Manner
        var batches: [[EncodedEntry]] = []
        var open: [OpenBatch] = []
        var sessions: [SessionName: KeptSession] = [:]
        var names: [Int64: SessionName] = [:]
        var waiting: (count: Int, CheckedContinuation<Void, Never>)?
        var openFailures: [JournalFailure] = []
        var openingCount = 0
        var documentsLeft = Int.max
        var tellsKeysLater = false
        var isUnsafe = false
        var listed: [SessionSummary] = []
        var givenBackCount = 0
        var status = JournalStatus()
        var isBusy = false
        var isCutOff = false
        var isClosed = false
        var opensSlowly = false
        var openings: [CheckedContinuation<Void, Never>] = []
        var openingWaiter: CheckedContinuation<Void, Never>?
    }

    private let script: Lock<Script>

    /// Another server may take its sessions over.
    let isShared: Bool

    init(_ manner: Manner = .byHand, isShared: Bool = false) {
        script = Lock(Script(manner: manner))
        self.isShared = isShared
    }

    func shows(_ lease: Lease?, anew: Bool) -> Bool { !anew || script.withLock { !$0.isCutOff } }

    /// Another server may go on with its sessions from here on, or not.
    func cutOff(_ isCutOff: Bool) { script.withLock { $0.isCutOff = isCutOff } }

    var mode: JournalMode { .durable }
    var keepsEntries: Bool { true }

    var status: JournalStatus { script.withLock { $0.status } }

    var isBusy: Bool { script.withLock { $0.isBusy } }

    /// It holds as much as it may, or not any more.
    func setBusy(_ isBusy: Bool) { script.withLock { $0.isBusy = isBusy } }

    /// It says so of itself from here on.
    func setStatus(_ status: JournalStatus) { script.withLock { $0.status = status } }

    /// The entries of all batches that were handed over, kept or not.
    var batches: [[EncodedEntry]] { script.withLock { $0.batches } }

    /// From here on batches are answered so.
    func setManner(_ manner: Manner) { script.withLock { $0.manner = manner } }

    /// The session as it is kept.
    func kept(_ session: String, at mount: String) -> KeptSession? {
        script.withLock { $0.sessions[SessionName(mount: mount, id: session)] }
    }

    func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        var byteCount = 0
        let kept = script.withLock { $0.sessions[name]?.entries ?? [] }.dropFirst(Int(version))
        return kept.prefix(limit.entryCount).prefix { entry in
            byteCount += entry.byteCount
            return byteCount <= limit.byteCount || entry.version == version + 1
        }.map(\.withoutSecrets)
    }

    func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        let session = try script.withLock { script throws(JournalFailure) -> KeptSession? in
            script.documentsLeft -= 1
            guard script.documentsLeft >= 0 else { throw .unavailable }
            return script.sessions[name]
        }
        guard let session else { throw .compacted(oldest: nil) }
        return try session.document(at: version)
    }

    func revert(
        _ name: SessionName, to version: UInt64, by entry: EncodedEntry, epoch: String
    ) async throws(JournalFailure) { throw .unknown }

    // MARK: Appending

    func append(_ batch: AppendBatch, _ content: [EncodedEntry]) -> AppendOutcome? {
        let (outcome, ready) = script.withLock { script -> (AppendOutcome?, Waiter?) in
            script.batches.append(content)
            guard let name = script.names[batch.lease.session] else { return (.stale, nil) }
            let opened = OpenBatch(name: name, batch: batch, content: content)
            if case .atOnce(let outcome) = script.manner {
                return (Self.end(opened, outcome, isKept: outcome == .kept, in: &script), nil)
            }
            script.open.append(opened)
            guard let waiting = script.waiting, script.open.count >= waiting.count else {
                return (nil, nil)
            }
            script.waiting = nil
            return (nil, waiting.1)
        }
        ready?.resume()
        if case .later = script.withLock({ $0.manner }), outcome == nil { answerLater() }
        return outcome
    }

    private typealias Waiter = CheckedContinuation<Void, Never>

    private func answerLater() {
        Task { answer(.kept) }
    }

    /// Waits until so many batches await their answer.
    func waitForAppends(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = script.withLock { script in
                if script.open.count < count { script.waiting = (count, continuation) }
                return script.open.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Answers for the next batch, once it is there.
    func answerNext(_ outcome: AppendOutcome, isKept: Bool? = nil) async {
        await waitForAppends(1)
        answer(outcome, isKept: isKept)
    }

    /// Answers the batch at a position among those that await it, the oldest unless said.
    ///
    /// - Parameter isKept: the entries are kept, whatever the answer says.
    func answer(_ outcome: AppendOutcome, at position: Int = 0, isKept: Bool? = nil) {
        let answered = script.withLock { script -> (AppendBatch, AppendOutcome)? in
            guard script.open.indices.contains(position) else { return nil }
            let opened = script.open.remove(at: position)
            let isKept = isKept ?? (outcome == .kept)
            return (opened.batch, Self.end(opened, outcome, isKept: isKept, in: &script))
        }
        guard let (batch, outcome) = answered else { return }
        batch.receiver.appended([(batch.ticket, outcome)])
    }

    /// A batch that expects another version than there is cannot be kept.
    private static func end(
        _ opened: OpenBatch, _ outcome: AppendOutcome, isKept: Bool, in script: inout Script
    ) -> AppendOutcome {
        guard isKept, var session = script.sessions[opened.name] else { return outcome }
        guard session.lease == opened.batch.lease.number else { return .stale }
        guard session.version == opened.batch.expected else { return .refused(.unavailable) }
        session.append(opened.content)
        script.sessions[opened.name] = session
        return outcome
    }

    // MARK: Opening

    func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        script.withLock { $0.openingCount += 1 }
        await takeTime()
        let document: [UInt8]?
        do throws(EncodingFailure) {
            document = try new?.document()
        } catch {
            throw .unavailable
        }
        return try script.withLock { script throws(JournalFailure) -> OpenedSession? in
            if let failure = script.openFailures.popLast() { throw failure }
            if var session = script.sessions[name] {
                session.lease += 1
                script.sessions[name] = session
                var opened = session.opened
                opened.isUnsafe = script.isUnsafe
                if script.tellsKeysLater { (opened.keys, opened.keysBegin) = ([], .max) }
                return opened
            }
            guard let new, let document else { return nil }
            let number = Int64(script.names.count + 1)
            let session = KeptSession(new, number: number, state: document)
            script.names[number] = name
            script.sessions[name] = session
            return OpenedSession(
                lease: Lease(session: number, number: session.lease), epoch: session.epoch,
                created: session.created, document: nil)
        }
    }

    private func takeTime() async {
        guard script.withLock({ $0.opensSlowly }) else { return }
        await withCheckedContinuation { continuation in
            script.withLock { script in
                script.openings.append(continuation)
                return script.openingWaiter.take()
            }?.resume()
        }
    }

    /// Tells the keys of a session, as slowly as it opens.
    func keys(of lease: Lease, since: Timestamp) async throws(JournalFailure) -> [KeptKey] {
        await takeTime()
        return script.withLock { script in
            script.names[lease.session].flatMap { script.sessions[$0] }?.opened.keys ?? []
        }
    }

    /// The process has ended twice while it opened each session.
    func callUnsafe() { script.withLock { $0.isUnsafe = true } }

    /// These are all sessions, as far as a list says.
    func list(_ sessions: [SessionSummary]) { script.withLock { $0.listed = sessions } }

    func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        let listed = script.withLock(\.listed)
        return Array(
            listed.filter { $0.name.description > name?.description ?? "" }.prefix(limit))
    }

    func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        script.withLock { $0.givenBackCount += isAsleep ? 1 : 0 }
    }

    /// Leases were given back so often.
    var givenBackCount: Int { script.withLock { $0.givenBackCount } }

    /// An opening tells of no key: these are asked for later.
    func tellKeysLater() { script.withLock { $0.tellsKeysLater = true } }

    /// The next so many openings fail.
    func failOpenings(_ count: Int, _ failure: JournalFailure = .unavailable) {
        script.withLock { $0.openFailures = Array(repeating: failure, count: count) }
    }

    /// States of before can be read so often, and no more.
    func failDocuments(behind count: Int) { script.withLock { $0.documentsLeft = count } }

    /// Sessions were opened so often.
    var openingCount: Int { script.withLock { $0.openingCount } }

    /// Openings take until `finishOpenings`.
    func openSlowly() { script.withLock { $0.opensSlowly = true } }

    /// Waits until an opening is under way.
    func waitForOpening() async {
        await withCheckedContinuation { continuation in
            let isThere = script.withLock { script in
                if script.openings.isEmpty { script.openingWaiter = continuation }
                return !script.openings.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    /// Ends the openings that are under way, and makes later ones quick unless said.
    func finishOpenings(opensSlowly: Bool = false) {
        let openings = script.withLock { script in
            script.opensSlowly = opensSlowly
            defer { script.openings = [] }
            return script.openings
        }
        for opening in openings { opening.resume() }
    }

    func close() async { script.withLock { $0.isClosed = true } }

    /// The server has closed it.
    var isClosed: Bool { script.withLock { $0.isClosed } }

    /// Answers all open batches of one server in one call.
    func answerAll(_ outcome: AppendOutcome) {
        let answered = script.withLock { script in
            defer { script.open = [] }
            return script.open.map { opened in
                (
                    opened.batch,
                    Self.end(opened, outcome, isKept: outcome == .kept, in: &script)
                )
            }
        }
        answered.first?.0.receiver.appended(
            answered.map { ($0.0.ticket, $0.1) })
    }
}

/// Tests of one session of notes, whose journal does as it is told.
protocol NotesInScriptedJournal {}

extension NotesInScriptedJournal {
    func withNotes(
        _ journal: ScriptedJournal = ScriptedJournal(), isNew: Bool = true,
        _ body: @Sendable (Demo, ScriptedJournal) async throws -> Void
    ) async throws {
        try await Demo.notes(changing: { $0.journal = journal }, isNew: isNew) { demo in
            try await body(demo, journal)
        }
    }

    func add(_ text: String) -> String {
        "{\"type\":\"added\",\"payload\":\"\(text)\"}"
    }

    func state(_ demo: Demo) throws -> String {
        try demo.get("/state?select=/notes").body
    }
}
