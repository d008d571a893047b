import JournalConformance
import JournalPostgreSQL
import Journaling
import PostgreSQL
import PostgreSQLServer
import Redux
import Testing

/// Connections that are lost with an append under way, and a database that goes away.
@Suite(withPostgreSQL) struct PostgreSQLFaultTests {
    /// What the statements of a journal are without a part that they need.
    enum Mutant: CaseIterable, Sendable {
        case none, leaseLeftOut, settledByReading

        func change(_ options: inout PostgreSQLJournal.Options) {
            switch self {
            case .none: break
            case .leaseLeftOut:
                options.statements.append.text.replace("x.lease = r.lease", with: "x.lease > 0")
            case .settledByReading:
                let text = options.statements.open.text
                let (condition, columns) = (
                    text.split(separator: "WHERE name")[1].split(separator: "RETURNING"), 1
                )
                options.statements.open.text =
                    "SELECT \(condition[columns]) FROM session x WHERE name\(condition[0])"
            }
        }
    }

    @Test func `an append whose connection is lost before it arrives is not kept later`()
        async throws
    {
        try await #expect(late(.none) == (told: false, isThere: false))
        // The other way round: without the lease in the statement it comes back.
        try await #expect(late(.leaseLeftOut) == (told: false, isThere: true))
    }

    /// The append is on its way when the journal loses the connection, and arrives behind the opening.
    private func late(_ mutant: Mutant) async throws -> (told: Bool, isThere: Bool) {
        let place = try Place()
        let proxy = try Proxy(to: place.server.socket)
        let journal = try place.open(by: proxy.place, mutant.change)
        var session = try await TestSession("a", in: journal)
        try await session.append()
        proxy.hold(lane: 0)
        let submitted = session.submit(session.batch(of: 1, behind: 1))
        try await until { proxy.heldCount(lane: 0) > 0 }
        proxy.cutClients(lane: 0)
        #expect(await session.outcome(submitted) == .unknown)
        let opened = try await journal.open(session.name, making: nil)
        // What has arrived is not at once read, also where nothing comes of it.
        let appends = """
            pg_stat_activity WHERE application_name = '\(place.schema)'
                AND query LIKE '%INSERT INTO entry%'
            """
        let last = try await place.ask("SELECT max(query_start)::text FROM \(appends)")[0].text(0)
        proxy.release()
        try await until {
            try await !place.ask(
                "SELECT FROM \(appends) AND state = 'idle' AND query_start > '\(last)'"
            ).isEmpty
        }
        let rows = try await place.ask("SELECT FROM entry WHERE version = 2")
        await journal.close()
        return (told: opened?.document?.version == 2, isThere: !rows.isEmpty)
    }

    @Test func `what a former opening has under way costs the present one nothing`() async throws {
        let place = try Place()
        let proxy = try Proxy(to: place.server.socket)
        let journal = try place.open(by: proxy.place)
        var session = try await TestSession("a", in: journal)
        try await session.append()
        proxy.hold(lane: 0)
        let late = session.submit(session.batch(of: 1, behind: 1))
        try await until { proxy.heldCount(lane: 0) > 0 }
        let former = session
        try await session.reopen()
        proxy.release()
        #expect(await former.outcome(late) == .stale)
        try await session.append()
        await journal.close()
    }

    @Test func `what is unknown is settled by a write that waits for the append`() async throws {
        try await #expect(waiting(.none) == (told: true, isThere: true))
        // The other way round: a read sees the row as it was, and the append is kept behind it.
        try await #expect(waiting(.settledByReading) == (told: false, isThere: true))
    }

    /// The append waits in the database when the journal loses the connection.
    private func waiting(_ mutant: Mutant) async throws -> (told: Bool, isThere: Bool) {
        let place = try Place()
        let other = try Place(place)
        let proxy = try Proxy(to: place.server.socket)
        let journal = try place.open(by: proxy.place, mutant.change)
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await other.ask("BEGIN", "SELECT FROM session FOR UPDATE")
        let submitted = session.submit(session.batch(of: 1, behind: 1))
        try await until { try await place.waitingCount() > 0 }
        proxy.cutClients(lane: 0)
        #expect(await session.outcome(submitted) == .unknown)
        let (name, isReading) = (session.name, mutant == .settledByReading)
        async let opening = journal.open(name, making: nil)
        if isReading { _ = try await opening }
        let count = isReading ? 1 : 2
        try await until { try await place.waitingCount() >= count }
        try await other.ask("COMMIT")
        let opened = try await opening
        try await until { try await !place.isAppending() }
        let rows = try await place.ask("SELECT FROM entry WHERE version = 2")
        await journal.close()
        return (told: opened?.document?.version == 2, isThere: !rows.isEmpty)
    }

    @Test func `what the database refuses at the commit is not told as kept`() async throws {
        let place = try Place()
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await place.ask(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'not this'; END $$
            """,
            """
            CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON session DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION fail()
            """)
        let refused = await session.outcome(session.submit(session.batch(of: 1, behind: 1)))
        #expect(refused == .refused(.unavailable))
        try await place.ask("DROP TRIGGER late ON session")
        try await session.append()
        try await session.reopen()
        await journal.close()
    }

    @Test func `what no standby has is not told as kept, and waits on no lost connection`()
        async throws
    {
        let server = try PostgreSQLServer()
        let place = try Place(server)
        let proxy = try Proxy(to: server.socket)
        let journal = try place.open(by: proxy.place)
        var session = try await TestSession("a", in: journal)
        try await place.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await place.ask("SELECT pg_reload_conf()")
        var submitted: (ticket: UInt64, outcome: AppendOutcome?) = (0, nil)
        // The server takes it over in a moment.
        try await until {
            guard try await place.standbyWaits().isEmpty else { return true }
            let batch = session.batch(of: 1, behind: session.version)
            submitted = session.submit(batch)
            var head: UInt64 = session.version
            try await until {
                head = try await place.ask("SELECT head FROM session")[0].version(0)
                let isWaiting = try await !place.standbyWaits().isEmpty
                return head > session.version || isWaiting
            }
            if head > session.version { session.note(batch) }
            return false
        }
        let waiting = try await place.standbyWaits()[0].number(0)
        try await place.ask("SELECT pg_cancel_backend(\(waiting))")
        #expect(await session.outcome(submitted) == .unknown)
        let name = session.name
        async let opened = journal.open(name, making: nil)
        try await until { try await !place.standbyWaits().isEmpty }
        proxy.cutClients(lane: 2)
        do {
            _ = try await opened
            Issue.record("It is opened.")
        } catch { #expect(error as? JournalFailure == .unknown) }
        try await until { try await place.standbyWaits().isEmpty }
        try await place.ask("ALTER SYSTEM RESET synchronous_standby_names")
        try await place.ask("SELECT pg_reload_conf()")
        let last = try await journal.open(name, making: nil)?.document
        #expect(last?.version == session.version + 1)
        await journal.close()
    }

    @Test func `a host that is silent does not keep the next one from being asked`() async throws {
        let server = try PostgreSQLServer.shared()
        let proxy = try Proxy(to: server.socket)
        proxy.fallSilent()
        let place = try Place(server, by: [proxy.place])
        #expect(try await place.ask("SELECT 1").count == 1)
    }

    @Test func `while the database is away appends are refused, and it goes on by itself`()
        async throws
    {
        let server = try PostgreSQLServer()
        let place = try Place(server)
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        try await session.append()
        do {
            try server.tell("crash")
            try await until { !journal.status.isAvailable }
            let refused = await session.outcome(
                session.submit(session.batch(of: 1, behind: session.version)))
            #expect(refused == .refused(.unavailable))
            try await expect(.unavailable) { () throws(JournalFailure) in
                try await journal.entries(
                    of: session.name, after: 0, limit: ReadLimit(entryCount: 1))
            }
            try server.tell("start")
            try await until { journal.status.isAvailable }
            try await session.append()
        }
        // Each connection comes back by itself.
        try await until {
            do throws(JournalFailure) {
                _ = try await journal.open(session.name, making: nil)
                return true
            } catch { return false }
        }
        try await session.reopen()
        await journal.close()
    }

    @Test func `a database that may only be read refuses, and takes again what is to be written`()
        async throws
    {
        let server = try PostgreSQLServer()
        let place = try Place(server)
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        try await place.ask("ALTER SYSTEM SET default_transaction_read_only = on")
        try await place.ask("SELECT pg_reload_conf()")
        var outcome = AppendOutcome.kept
        func append() async {
            let batch = session.batch(of: 1, behind: session.version)
            outcome = await session.outcome(session.submit(batch))
            if outcome == .kept { session.note(batch) }
        }
        try await until {
            await append()
            return outcome != .kept
        }
        #expect(outcome == .refused(.readOnly))
        _ = try await journal.entries(of: session.name, after: 0, limit: ReadLimit(entryCount: 9))
        try await place.ask(
            "SET default_transaction_read_only = off")
        try await place.ask("ALTER SYSTEM RESET default_transaction_read_only")
        try await place.ask("SELECT pg_reload_conf()")
        try await until {
            await append()
            return outcome == .kept
        }
        try await session.reopen()
        await journal.close()
    }

    @Test func `what is refused with a lost connection leaves its room to what comes`() async throws
    {
        let place = try Place()
        let proxy = try Proxy(to: place.server.socket)
        let journal = try place.open(by: proxy.place)
        let session = try await TestSession("a", in: journal)
        proxy.hold(lane: 0)
        let first = session.submit(session.batch(of: 1, behind: 0))
        try await until { proxy.heldCount(lane: 0) > 0 }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 16 << 20)
        let second = session.submit([
            EncodedEntry(version: 2, at: TestSession.now, head: large, print: nil, patch: nil)
        ])
        #expect(journal.isBusy)
        proxy.cutClients(lane: 0)
        #expect(await session.outcome(first) == .unknown)
        #expect(await session.outcome(second) == .refused(.unavailable))
        #expect(!journal.isBusy)
        await journal.close()
    }

    @Test func `a database that is full refuses, and each append tries again`() async throws {
        let place = try Place()
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await place.ask(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE disk_full; END $$
            """, "CREATE TRIGGER filled BEFORE INSERT ON entry EXECUTE FUNCTION fail()")
        let refused = await session.outcome(session.submit(session.batch(of: 1, behind: 1)))
        #expect(refused == .refused(.full))
        try await place.ask("DROP TRIGGER filled ON entry")
        try await session.append()
        try await session.reopen()
        await journal.close()
    }

    @Test func `an opening of which the database says nothing is refused`() async throws {
        let place = try Place()
        let journal = try place.open { $0.statements.look.text += " LIMIT 0" }
        try await expect(.unavailable) { () throws(JournalFailure) in
            try await journal.open(SessionName(mount: "/list", id: "a"), making: nil)
        }
        await journal.close()
    }

    @Test func `what is no version is another number`() async throws {
        let row = try await Place().ask("SELECT -1::int8, 7::int8, 9223372036854775807")[0]
        #expect((0..<3).map { row.version($0) } == [1 << 62, 7, 1 << 62])
    }

    @Test func `a row that was changed is refused by its sum, and named`() async throws {
        let place = try Place()
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        for _ in 0..<4 { try await session.append() }
        try await place.ask("UPDATE entry SET patch = '[]' WHERE version = 3")
        try await expect(.damaged(good: 2)) { () throws(JournalFailure) in
            try await journal.open(session.name, making: nil)
        }
        let log = try await journal.entries(
            of: session.name, after: 0, limit: ReadLimit(entryCount: 9))
        #expect(log.map(\.version) == [1, 2])
        #expect(try await session.revert(to: 2, "x1"))
        try await session.append()
        await journal.close()
    }
}

extension Place {
    /// Another connection to the same schema.
    convenience init(_ place: Place) throws { try self.init(place.server, schema: place.schema) }

    /// Appends run, or wait.
    func isAppending() async throws -> Bool {
        try await !ask(
            """
            SELECT FROM pg_stat_activity WHERE application_name = '\(schema)'
                AND state = 'active' AND query LIKE '%INSERT INTO entry%'
            """
        ).isEmpty
    }

    /// The processes of commits that wait for a standby.
    func standbyWaits() async throws -> [ResultRow] {
        try await ask("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    }

    /// The journals' connections that wait for a lock.
    func waitingCount() async throws -> Int {
        try await ask(
            """
            SELECT FROM pg_stat_activity WHERE application_name = '\(schema)'
                AND wait_event_type = 'Lock'
            """
        ).count
    }
}
