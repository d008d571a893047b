import Journaling
import Redux
import StateCoding
import Sockets
import Statecast
import StatecastTesting
import TemporaryFolder

/// One server's end of a journal that several servers share: who has a session keeps it, until it is taken
/// away.
struct SharedJournal: Journal {
    /// What the ends have in common.
    final class Book: Sendable {
        let journal = ScriptedJournal(.atOnce(.kept))
        let entries = Lock(
            (
                holders: [SessionName: Int](), names: [Int64: SessionName](),
                addresses: [Int: String](), servers: [Int: LiveServer](), isIntroduced: false,
                alarms: [SessionName: Timestamp](), releasesNone: false,
                forgotten: [SessionName: UInt64](),
                // Of who has a session.
                questionCount: 0,
                // Of servers that are about to change something, whether they may.
                lookCount: 0
            ))

        /// Where a server takes requests of others.
        func address(of server: Int) -> String? { entries.withLock { $0.addresses[server] } }

        /// From here on the servers know each other before they ask for a session.
        func introduce() { entries.withLock { $0.isIntroduced = true } }

        var servers: [LiveServer] {
            entries.withLock { entries in
                guard entries.isIntroduced else { return [] }
                return entries.servers.sorted { $0.key < $1.key }.map(\.value)
            }
        }

        func holder(of id: String) -> Int? {
            entries.withLock { $0.holders[SessionName(mount: "/notes", id: id)] }
        }

        /// Makes a session that nobody has, or gives the one that is there another alarm.
        func make(_ name: SessionName, alarm: Timestamp) async throws {
            let new = NewSession(epoch: "e", created: alarm, schema: 1) {
                () throws(EncodingFailure) in
                try StateEncoder().bytes(of: NotesApplication.State())
            }
            _ = try await journal.open(name, making: new)
            entries.withLock { $0.alarms[name] = alarm }
        }

        /// Has a server have a session, whatever that knows of it; nil: none.
        func give(_ id: String, to server: Int?) {
            let name = SessionName(mount: "/notes", id: id)
            entries.withLock { $0.holders[name] = server }
        }
    }

    let book: Book
    let server: Int

    var mode: JournalMode { .durable }
    var keepsEntries: Bool { true }
    var isShared: Bool { true }
    var status: JournalStatus { JournalStatus() }
    /// The names of selections are the same at each server.
    var hash: KeyedHash { Self.hash }
    static let hash = KeyedHash(key: Array(0..<16))

    func shows(_ lease: Lease?, anew: Bool) -> Bool {
        book.entries.withLock { entries in
            guard let lease else {
                entries.lookCount += anew ? 1 : 0
                return true
            }
            return entries.names[lease.session].flatMap { entries.holders[$0] } == server
        }
    }

    func announce(_ live: LiveServer) {
        book.entries.withLock { entries in
            (entries.addresses[server], entries.servers[server]) = (live.address, live)
        }
    }

    var servers: [LiveServer] { book.servers }

    func release(_ sessions: [Release]) async throws(JournalFailure) {
        if book.entries.withLock({ $0.releasesNone }) { throw .unavailable }
        book.entries.withLock { entries in
            for session in sessions {
                guard let name = entries.names[session.lease.session],
                    entries.holders[name] == server
                else { continue }
                entries.holders[name] = entries.addresses.first { $1 == session.receiver }?.key
            }
        }
    }

    func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {
        if isAsleep { try await release([Release(lease, work)]) }
    }

    func holder(of name: SessionName) async throws(JournalFailure) -> String? {
        book.entries.withLock { entries in
            entries.questionCount += 1
            return entries.holders[name].flatMap { $0 == server ? nil : entries.addresses[$0] }
        }
    }

    func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        let isFree = book.entries.withLock { ($0.holders[name] ?? server) == server }
        guard isFree else { throw .heldElsewhere }
        let opened = try await book.journal.open(name, making: new)
        guard let opened else { return nil }
        book.entries.withLock { entries in
            (entries.holders[name], entries.names[opened.lease.session]) = (server, name)
        }
        return opened
    }

    func alarms(
        until: Timestamp, limit: Int
    ) async throws(JournalFailure) -> DueAlarms {
        book.entries.withLock { entries in
            let due = entries.alarms.filter { name, time in
                time <= until && (entries.holders[name] ?? server) == server
            }
            return (due.sorted { $0.value < $1.value }.prefix(limit).map(\.key), nil)
        }
    }

    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        book.journal.append(batch, entries)
    }

    func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] {
        let forgotten = book.entries.withLock { $0.forgotten[name] ?? 0 }
        guard version >= forgotten else { throw .compacted(oldest: forgotten) }
        return try await book.journal.entries(of: name, after: version, limit: limit)
    }

    func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {
        book.entries.withLock { entries in
            if let name = entries.names[lease.session] { entries.forgotten[name] = version }
        }
    }

    func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] {
        try await book.journal.sessions(after: name, limit: limit)
    }

    func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument {
        try await book.journal.document(of: name, at: version)
    }

    func close() async { book.entries.withLock { $0.servers[server] = nil } }
}

/// Two servers of notes with one journal, the first of which has the session `demo`.
struct TwoServers: Sendable {
    static let key: [UInt8] = Array(100..<116)

    let one: TestServer
    let two: TestServer
    let book: SharedJournal.Book
    /// Has the keys.
    let folder: TemporaryFolder
    let session = "/notes/sessions/demo"

    /// - Parameters:
    ///   - keys: of the two.
    ///   - application: at `/notes`.
    ///   - parts: of each server, beside it.
    static func run(
        keys: [[UInt8]] = [key, key], loopCount: Int = 1,
        serving application: @Sendable () -> Served = { NotesApplication().served(at: "/notes") },
        changing change: @Sendable (inout ServerConfiguration) -> Void = { _ in },
        besides parts: @Sendable (_ server: Int) -> [ServerPart] = { _ in [] },
        _ body: @Sendable (TwoServers) async throws -> Void
    ) async throws {
        let (book, folder) = (SharedJournal.Book(), TemporaryFolder())
        for (number, key) in keys.enumerated() {
            try folder.write("\(number).key", key, mode: 0o600)
        }
        func configuration(_ number: Int) -> ServerConfiguration {
            var configuration = TestServer.configuration
            change(&configuration)
            configuration.loopCount = loopCount
            configuration.journal = SharedJournal(book: book, server: number)
            configuration.cluster = Cluster(
                host: "127.0.0.1", keyFile: "\(folder.path)/\(number).key")
            return configuration
        }
        let second = configuration(1)
        try await TestServer.run(
            configuration(0),
            serving: {
                application()
                parts(0)
            }
        ) { one in
            try await TestServer.run(
                second,
                serving: {
                    application()
                    parts(1)
                }
            ) { two in
                try await body(TwoServers(one: one, two: two, book: book, folder: folder))
            }
        }
    }

    /// A third server, that of number 2, which answers what a test says.
    func makeThird() throws -> Relay {
        let peer = try Relay()
        book.entries.withLock { $0.addresses[2] = "127.0.0.1:\(peer.port)" }
        return peer
    }

    /// Has the server that has the session give it to another one.
    func move(to server: Int) throws -> TestAnswer {
        try (book.holder(of: "demo") == 1 ? two : one).send(
            "POST", "\(session)/move", fields: ["Content-Type": "application/json"],
            body: #"{"to":"\#(book.address(of: server) ?? "")"}"#)
    }

    /// A connection to where a server takes requests of others.
    func connect(toServer server: Int) throws -> BlockingConnection {
        let port = book.address(of: server)?.split(separator: ":").last.flatMap { Int($0) }
        return try BlockingConnection(port: port ?? 0)
    }

    func add(_ text: String) -> String { #"{"type":"added","payload":"\#(text)"}"# }
}
