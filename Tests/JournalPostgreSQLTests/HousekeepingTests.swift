import JournalConformance
import JournalPostgreSQL
import Journaling
import PostgreSQL
import PostgreSQLServer
import Redux
import Testing

/// What goes from the tables, and what stays.
@Suite(withPostgreSQL) struct PostgreSQLHousekeepingTests {
    /// Makes all entries so many days old.
    private func age(_ days: Int, _ place: Place) async throws -> Int64 {
        let today = try await place.ask("SELECT max(day)::int8 FROM entry")[0].number(0)
        let day = today - Int64(days)
        try await place.ask(
            "CREATE TABLE entry_\(day) (LIKE entry INCLUDING ALL)",
            "INSERT INTO entry_\(day) SELECT * FROM entry", "DELETE FROM entry",
            "UPDATE entry_\(day) SET day = \(day)",
            "ALTER TABLE entry ATTACH PARTITION entry_\(day) FOR VALUES FROM (\(day)) TO (\(day + 1))"
        )
        return day
    }

    @Test(arguments: [(days: 7, goes: false), (8, true)])
    func `a day goes once its last entry is seven days old`(days: Int, goes: Bool) async throws {
        let place = try Place()
        let journal = try place.open()
        var sessions: [TestSession] = []
        for id in ["a", "b", "c"] {
            var session = try await TestSession(id, in: journal)
            for number in 1...5 { try await session.append(key: "key-\(number)") }
            try await session.append(isSecret: id == "c")
            sessions.append(session)
        }
        try await journal.keep(nil, of: sessions[1].lease, isAsleep: true)
        let day = try await age(days, place)
        try await journal.trim()
        #expect(try await place.days().contains(day) != goes)
        for index in sessions.indices {
            try await sessions[index].reopen()
            try await sessions[index].append()
            try await sessions[index].reopen()
            if goes {
                try await expect(.compacted(oldest: 6)) { () throws(JournalFailure) in
                    try await journal.document(of: sessions[index].name, at: 5)
                }
            }
        }
        await journal.close()
    }

    @Test func `a session that cannot be read is kept from nobody`() async throws {
        let place = try Place()
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await journal.keep(nil, of: session.lease, isAsleep: true)
        try await place.ask("UPDATE entry SET sum = sum + 1", "UPDATE snapshot SET sum = sum + 1")
        let name = session.name
        await #expect(throws: JournalFailure.self) { try await journal.open(name, making: nil) }
        #expect(try await place.ask("SELECT FROM session WHERE holder IS NULL").count == 1)
        await journal.close()
    }

    @Test func `what another server has is not erased`() async throws {
        let place = try Place()
        let (one, other) = (try place.open(), try place.open())
        var session = try await TestSession("a", in: one)
        try await session.append()
        let name = session.name
        try await expect(.heldElsewhere) { () throws(JournalFailure) in
            try await other.erase(name)
        }
        try await session.append()
        try await one.keep(nil, of: session.lease, isAsleep: true)
        try await other.erase(name)
        // There is nothing to erase any more.
        try await other.erase(name)
        try await expect(.ended) { () throws(JournalFailure) in
            _ = try await one.open(name, making: nil)
        }
        await one.close()
        await other.close()
    }

    @Test func `a day of many sessions goes by pieces, and behind a copy that is made of it`()
        async throws
    {
        let place = try Place()
        let copier = try Place(place)
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        try await session.append()
        // Some that need nothing, and some that were ended.
        try await place.ask(
            """
            INSERT INTO session(name, epoch, history, created, maker, schema, lease, head, at, chain,
                status) SELECT 's' || n, 'e', 1, 0, 0, 1, 1, 9, 0, 0, n % 2 * 2
            FROM generate_series(1, 700) AS n
            """,
            """
            INSERT INTO snapshot(session, version, changed, schema, chain, state, sum)
            SELECT id, version, 0, 1, 0, '', 0 FROM session, (VALUES (0), (9)) AS v(version)
            WHERE name LIKE 's%'
            """,
            """
            INSERT INTO entry SELECT id, 9, (SELECT max(day) FROM entry), 0, 1, 0, NULL, ''
            FROM session WHERE name LIKE 's%'
            """)
        let day = try await age(8, place)
        try await copier.ask("BEGIN", "LOCK TABLE entry IN ACCESS SHARE MODE")
        try await journal.trim()
        #expect(try await place.days().contains(day))
        try await session.append()
        try await copier.ask("COMMIT")
        try await journal.trim()
        #expect(try await !place.days().contains(day))
        let left = try await place.ask("SELECT DISTINCT version FROM snapshot ORDER BY version")
        #expect(left.map { $0.number(0) } == [1, 9])
        try await session.reopen()
        await journal.close()
    }

    @Test func `a state that was made before something was forgotten is not kept behind that`()
        async throws
    {
        #expect(try await hasKeys { _ in })
        // The other way round: without a look at what it was made from, keys are lost.
        let isKept = try await hasKeys { options in
            options.statements.keep.text.replace(
                "version = $14::int8", with: "$14::int8 IS NOT NULL")
            options.statements.keep.text.replace("sum = $15::int8", with: "$15::int8 IS NOT NULL")
        }
        #expect(!isKept)
    }

    /// One server forgets all while another makes a state of the same.
    private func hasKeys(
        _ change: (inout PostgreSQLJournal.Options) -> Void
    ) async throws -> Bool {
        let place = try Place()
        let blocker = try Place(place)
        let (journal, other) = (try place.open(), try place.open(change))
        var session = try await TestSession("a", in: journal, since: TestSession.now)
        for number in 1...3 { try await session.append(key: "key-\(number)") }
        try await session.keep(1, isAsleep: false)
        for number in 4...6 { try await session.append(key: "key-\(number)") }
        _ = try await age(8, place)
        try await blocker.ask("BEGIN", "SELECT FROM session FOR UPDATE")
        let lease = session.lease
        // Both have read what there is, and write in the order in which they came.
        async let forgotten: Void = journal.forget(lease, through: 6)
        try await until { try await place.waitingCount() >= 1 }
        async let trimmed: Void = other.trim()
        try await until { try await place.waitingCount() >= 2 }
        try await blocker.ask("COMMIT")
        try await forgotten
        try await trimmed
        var isKept = true
        do { try await session.reopen() } catch is BrokenLaw { isKept = false }
        await journal.close()
        await other.close()
        return isKept
    }

    @Test func `nothing is left of a server that ended long ago, and what it had is free`()
        async throws
    {
        let place = try Place()
        let (journal, other) = (try place.open(), try place.open())
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await place.ask(
            "UPDATE server SET ended = now() - interval '2 days' WHERE id = 1")
        try await other.scrub()
        #expect(try await place.ask("SELECT FROM server WHERE id = 1").isEmpty)
        try await session.reopen(in: other)
        try await session.append()
        await journal.close()
        await other.close()
    }

    @Test func `more bytes than are allowed go by days, and where none may go appends are refused`()
        async throws
    {
        let place = try Place()
        let journal = try place.open { $0.byteCount = 1 }
        var session = try await TestSession("a", in: journal)
        try await session.append()
        let day = try await age(2, place)
        try await journal.trim()
        #expect(try await !place.days().contains(day))
        let outcome = await session.outcome(
            session.submit(session.batch(of: 1, behind: session.version)))
        #expect(outcome == .refused(.full))
        await journal.close()
    }

    @Test func `a day that cannot be dropped is told of, and its bytes count`() async throws {
        let place = try Place()
        let journal = try place.open { $0.byteCount = 1 << 20 }
        var session = try await TestSession("a", in: journal)
        try await session.append()
        let day = try await age(2, place)
        try await place.ask(
            "CREATE VIEW copy AS SELECT * FROM entry_\(day)",
            "INSERT INTO entry_\(day) SELECT 0, n, day, at, flags, sum, print, "
                + "sha256(n::text::bytea) || head FROM entry_\(day), generate_series(1, 9999) AS n")
        try await expect(.unavailable) { () throws(JournalFailure) in try await journal.trim() }
        let refused = await session.outcome(
            session.submit(session.batch(of: 1, behind: session.version)))
        #expect(refused == .refused(.full))
        try await place.ask("DROP VIEW copy")
        try await journal.trim()
        #expect(try await !place.days().contains(day))
        try await session.append()
        await journal.close()
    }

    @Test func `a day that another server has dropped meanwhile is no failure`() async throws {
        let place = try Place()
        let journal = try place.open { $0.byteCount = 1 }
        var session = try await TestSession("a", in: journal)
        try await session.append()
        let day = try await age(2, place)
        // It is counted among the days, and not there when its sessions are looked for.
        try await place.ask("ALTER TABLE entry_\(day) RENAME TO gone__\(day)")
        try await journal.trim()
        #expect(try await place.days().contains(day))
        await journal.close()
    }

    @Test func `nothing is left of what was erased or forgotten`() async throws {
        let place = try Place()
        let journal = try place.open()
        for id in ["a", "b"] {
            var session = try await TestSession(id, in: journal)
            for _ in 0..<70 { try await session.append() }
            if id == "a" {
                try await journal.erase(session.name)
            } else {
                try await journal.forget(session.lease, through: 60)
            }
        }
        try await journal.scrub()
        let left = try await place.ask("SELECT version FROM entry ORDER BY version")
        #expect(left.map { $0.number(0) } == Array(61...70))
        #expect(
            try await place.ask("SELECT name FROM session").map { $0.text(0) } == [
                "/list/sessions/b"
            ])
        #expect(try await place.ask("SELECT FROM session WHERE forgotten IS NOT NULL").isEmpty)
        await journal.close()
    }

    @Test func `of many that were erased none is left by one round`() async throws {
        let place = try Place()
        // Its rounds are those here alone.
        let journal = try place.open { $0.isGuest = true }
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await place.ask(
            """
            INSERT INTO session(name, epoch, history, created, maker, schema, lease, head, at, chain,
                status, forgotten) SELECT 's' || n, 'e', 1, 0, 0, 1, 1, 400, 0, 0, 2, 400
            FROM generate_series(1, 100) AS n
            """,
            """
            INSERT INTO entry SELECT id, version, (SELECT max(day) FROM entry), 0, 1, 0, NULL, ''
            FROM session, generate_series(1, 400) AS version WHERE name LIKE 's%'
            """)
        #expect(try await journal.check().erasures == 100)
        try await journal.scrub()
        #expect(try await place.ask("SELECT FROM session WHERE status = 2").isEmpty)
        #expect(try await place.ask("SELECT FROM entry").count == 1)
        #expect(try await journal.check().erasures == 0)
        await journal.close()
    }

    @Test func `a command deletes nothing, whatever its bounds`() async throws {
        let (place, other) = (try Place(), try Place())
        // Its round would come before that of the other, which is opened later.
        let guest = try place.open { ($0.byteCount, $0.isGuest) = (1, true) }
        var days: [Int64] = []
        for (place, journal) in [(place, guest), (other, try other.open())] {
            var session = try await TestSession("a", in: journal)
            try await session.append()
            days.append(try await age(9, place))
            if journal !== guest { await journal.close() }
        }
        let journal = try other.open()
        try await until { try await !other.days().contains(days[1]) }
        #expect(try await place.days().contains(days[0]))
        await guest.close()
        await journal.close()
    }

    @Test func `one session that is refused does not have the others refused`() async throws {
        let place = try Place()
        let proxy = try Proxy(to: place.server.socket)
        let journal = try place.open(by: proxy.place)
        var sessions: [TestSession] = []
        for id in ["a", "b", "c", "d"] { sessions.append(try await TestSession(id, in: journal)) }
        try await place.ask(
            """
            INSERT INTO entry(session, version, day, at, flags, sum, head)
            SELECT id, 1, floor(extract(epoch FROM clock_timestamp()) / 86400), 0, 0, 0, ''
            FROM session WHERE name = '/list/sessions/c'
            """)
        proxy.hold(lane: 0)
        let first = sessions[0].submit(sessions[0].batch(of: 1, behind: 0))
        try await until { proxy.heldCount(lane: 0) > 0 }
        let others = sessions[1...].map { $0.submit($0.batch(of: 1, behind: 0)) }
        proxy.release()
        #expect(await sessions[0].outcome(first) == .kept)
        var outcomes: [AppendOutcome] = []
        for (session, ticket) in zip(sessions[1...], others) {
            outcomes.append(await session.outcome(ticket))
        }
        #expect(outcomes == [.kept, .refused(.unavailable), .kept])
        await journal.close()
    }

    @Test func `a database that has lost what was acknowledged begins other epochs`() async throws {
        let place = try Place()
        let (journal, other) = (try place.open(), try place.open())
        var session = try await TestSession("a", in: journal)
        var second = try await TestSession("b", in: journal)
        for _ in 0..<3 { try await session.append() }
        try await second.append()
        // As a standby has it that did not get the last two.
        try await place.ask(
            """
            UPDATE session SET head = 1, chain = (SELECT sum FROM entry e
                WHERE e.session = id AND version = 1) WHERE name = '/list/sessions/a'
            """,
            """
            DELETE FROM entry WHERE version > 1
                AND session = (SELECT id FROM session WHERE name = '/list/sessions/a')
            """)
        let late = session.submit(session.batch(of: 1, behind: 3))
        #expect(await session.outcome(late) == .stale)
        let opened = try await journal.open(session.name, making: nil)
        #expect(opened?.document?.version == 1)
        #expect(opened?.epoch != TestSession.epoch)
        let epoch = opened?.epoch
        #expect(try await journal.open(session.name, making: nil)?.epoch == epoch)
        // Other sessions' histories may have lost something that nobody here knows.
        try await journal.keep(nil, of: second.lease, isAsleep: true)
        let moved = try await other.open(second.name, making: nil)
        #expect(moved?.epoch != TestSession.epoch && moved?.document?.version == 1)
        await journal.close()
        await other.close()
    }
}

extension Place {
    func days() async throws -> [Int64] {
        try await ask(
            """
            SELECT substring(c.relname FROM 7)::int8 FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'entry'::regclass
            """
        ).map { $0.number(0) }
    }
}
