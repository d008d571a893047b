import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import SQLite
import Testing

private actor Count {
    private(set) var value = 0
    func add() { value += 1 }
}

@Suite struct UpkeepTests {
    private func options(daysLater: Int) -> SQLiteJournal.Options {
        var options = SQLiteJournal.Options()
        let now = TestSession.created.milliseconds + Int64(daysLater) * 24 * 3_600_000
        options.now = { _ in now }
        return options
    }

    @Test func `entries that are too old go, and states stay`() async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 0))
        var sessions: [TestSession] = []
        for (id, count) in ["a": 10, "b": 200, "c": 0] {
            var session = try await TestSession(id, in: journal)
            for _ in 0..<count { try await session.append() }
            sessions.append(session)
        }
        await journal.close()
        journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 8))
        for var session in sessions {
            if session.version > 0 { try await waitUntilTrimmed(session.name, in: journal) }
            try await session.reopen(in: journal)
            try await session.append()
            try session.check(
                try await journal.document(of: session.name, at: session.version),
                at: session.version)
        }
        await journal.close()
    }

    @Test func `no opening waits for those who read the past`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<60 { try await session.append() }
        let name = session.name
        let done = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<400 {
                group.addTask {
                    _ = try await journal.entries(
                        of: name, after: 0, limit: ReadLimit(entryCount: 60))
                    await done.add()
                }
            }
            while await done.value == 0 { await Task.yield() }
            _ = try await journal.open(name, making: nil)
            #expect(await done.value < 200)
            try await group.waitForAll()
        }
        await journal.close()
    }

    /// What a kill leaves of a journal, once a query counts none.
    private func kill(_ place: Place, once none: String) async throws -> Place {
        let database = try Database(place.database)
        while try database.read({ try $0.integer(none) != 0 }) {}
        let copy = try Place()
        let (from, to) = (URL(filePath: place.journal), URL(filePath: copy.journal))
        try FileManager.default.createDirectory(
            at: to, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try database.read {
            // The log begins anew under no reader. And `copyItem` never ends where a file becomes shorter.
            _ = try $0.integer("SELECT count(*) FROM session")
            for name in try FileManager.default.contentsOfDirectory(atPath: from.path) {
                try Data(contentsOf: from.appending(path: name))
                    .write(to: to.appending(path: name))
            }
        }
        database.close()
        return copy
    }

    @Test func `what was forgotten at its end is there after a kill, and no number is given twice`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 0))
        var session = try await TestSession("a", in: journal)
        for _ in 0..<3 { try await session.append() }
        try await journal.forget(session.lease, through: 3)
        let copy = try await kill(place, once: "SELECT count(*) FROM entry")
        await journal.close()
        journal = try SQLiteJournal(directory: copy.journal, options: options(daysLater: 0))
        try await session.reopen(in: journal)
        try await session.append()
        try await session.append()
        await journal.close()
        // Entries whose numbers a snapshot knows already go without another one.
        journal = try SQLiteJournal(directory: copy.journal, options: options(daysLater: 8))
        _ = try await kill(copy, once: "SELECT count(*) FROM entry")
        try await session.reopen(in: journal)
        await journal.close()
    }

    @Test func `of an end that is being overwritten the row knows more than an entry`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<3 { try await session.append() }
        try await journal.forget(session.lease, through: 3)
        let copy = try await kill(place, once: "SELECT count(*) FROM scrub")
        await journal.close()
        // One that is to be overwritten yet.
        let database = try Database(copy.database)
        try database.write { database in
            try database.execute(
                """
                INSERT INTO entry VALUES (1, 1, 1, 0, 1795302855001, 257, 0, NULL, X'', X'', NULL);
                INSERT INTO scrub(session, seq, until) VALUES (1, 1, 0)
                """)
        }
        database.close()
        journal = try SQLiteJournal(directory: copy.journal)
        try await session.reopen(in: journal)
        try await session.append()
        await journal.close()
    }

    @Test func `what was trimmed at its end is there after a kill`() async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 0))
        var session = try await TestSession("a", in: journal)
        for _ in 0..<3 { try await session.append() }
        let copy = try await kill(place, once: "SELECT count(*) FROM scrub")
        await journal.close()
        journal = try SQLiteJournal(directory: copy.journal, options: options(daysLater: 8))
        let again = try await kill(copy, once: "SELECT count(*) FROM entry")
        await journal.close()
        journal = try SQLiteJournal(directory: again.journal, options: options(daysLater: 0))
        try await session.reopen(in: journal)
        try await session.append()
        await journal.close()
    }

    @Test func `entries that a lost one leads to are overwritten, and nothing is looked for twice`()
        async throws
    {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        let other = try await TestSession("b", in: journal)
        for _ in 0..<5 { try await session.append() }
        try await journal.forget(session.lease, through: 2)
        _ = try await kill(place, once: "SELECT count(*) FROM scrub")
        let database = try Database(place.database, timeout: .seconds(5))
        // Only a look at all entries would find it.
        try database.write { database in
            try database.execute(
                "INSERT INTO entry SELECT 1, 1, 1, 0, at, 1, 0, NULL, X'', X'', NULL FROM entry WHERE seq = 3"
            )
        }
        try await journal.forget(session.lease, through: 3)
        _ = try await kill(place, once: "SELECT count(*) FROM scrub")
        let seqs = { @Sendable (database: Database) in
            try database.rows("SELECT seq FROM entry WHERE session = 1 ORDER BY seq").map {
                Int($0[0].integer)
            }
        }
        let kept = try database.read(seqs)
        #expect(kept == [1, 4, 5])
        let many = (1...5_000).map { number in
            EncodedEntry(
                version: UInt64(number), at: TestSession.created, head: Array("{}".utf8),
                print: nil, patch: nil, isLast: true)
        }
        #expect(await other.outcome(other.submit(many)) == .kept)
        try await session.append(2)
        try database.write { try $0.execute("DELETE FROM entry WHERE seq = 5006") }
        try await journal.erase(session.name)
        _ = try await kill(place, once: "SELECT count(*) FROM scrub")
        let left = try database.read(seqs)
        #expect(left == [1])
        database.close()
        await journal.close()
    }

    @Test func `a row is written where its alarm is another one`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        let database = try Database(place.database)
        let (now, later) = (TestSession.created, TestSession.created + .seconds(9))
        for (alarm, head) in [
            (AlarmChange.none, 0), (.at(now), 2), (.at(now), 2), (.at(later), 4), (.none, 5),
            (.none, 5),
        ] {
            try await session.append(alarm: alarm)
            let found = try database.read {
                try $0.integer("SELECT head FROM session")
            }
            #expect(found == head)
        }
        database.close()
        await journal.close()
    }

    @Test func `what a clock makes old that was days ahead at the start stays`() async throws {
        let place = try Place()
        var options = options(daysLater: 0)
        var journal = try SQLiteJournal(directory: place.journal, options: options)
        var session = try await TestSession("a", in: journal)
        try await session.append()
        await journal.close()
        let later = TestSession.created.milliseconds + 40 * 24 * 3_600_000
        options.now = { later - $0 }
        for _ in 0..<2 {
            journal = try SQLiteJournal(directory: place.journal, options: options)
            #expect(
                later - journal.status.lead == session.entries.last?.at.milliseconds)
            // The writer has looked what has to go before it takes the first job.
            for _ in 0..<3 { _ = try await journal.open(session.name, making: nil) }
            let entries = try await journal.entries(
                of: session.name, after: 0, limit: ReadLimit(entryCount: 9))
            #expect(entries.count == 1)
            await journal.close()
        }
    }

    @Test func `what was dated ahead by a clock that was wrong keeps nothing behind it`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 0))
        let future = TestSession.created + .seconds(1_000 * 24 * 3_600)
        var sessions = [
            try await TestSession("a", in: journal, since: future),
            try await TestSession("b", in: journal),
        ]
        // More than are looked at together, and others among them.
        for count in [150, 10, 3, 2] {
            for index in sessions.indices {
                for _ in 0..<count { try await sessions[index].append() }
            }
        }
        await journal.close()
        journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 8))
        for var session in sessions {
            try await waitUntilTrimmed(session.name, in: journal)
            try await session.reopen(in: journal)
            try await session.append()
        }
        await journal.close()
    }

    private func waitUntilTrimmed(_ name: SessionName, in journal: SQLiteJournal) async throws {
        while true {
            do throws(JournalFailure) {
                _ = try await journal.entries(
                    of: name, after: 0, limit: ReadLimit(entryCount: 1))
            } catch .compacted {
                return
            }
        }
    }

    @Test func `a journal with all its bytes refuses, and takes more where it may have more`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(
            directory: place.journal, options: options(daysLater: 0))
        var session = try await TestSession("a", in: journal)
        try await session.append()
        await journal.close()
        var small = options(daysLater: 0)
        small.byteCount = 1_000
        journal = try SQLiteJournal(directory: place.journal, options: small)
        try await session.reopen(in: journal)
        let refused = session.submit(session.batch(of: 1, behind: 1))
        #expect(await session.outcome(refused) == .refused(.full))
        let full = journal
        try await expect(.full) { () throws(JournalFailure) in
            try await full.open(SessionName(mount: "/list", id: "b"), making: TestSession.new)
        }
        await journal.close()
        journal = try SQLiteJournal(directory: place.journal, options: options(daysLater: 0))
        try await session.reopen(in: journal)
        try await session.append()
        await journal.close()
    }

    @Test func `a journal with all its sessions makes another once one is overwritten`()
        async throws
    {
        let place = try Place()
        func make(_ id: String, in journal: SQLiteJournal) async throws(JournalFailure) {
            let new = NewSession(
                epoch: TestSession.epoch, created: TestSession.created, schema: 1, sessionCount: 2
            ) { Array("{}".utf8) }
            _ = try await journal.open(SessionName(mount: "/list", id: id), making: new)
        }
        let before = try SQLiteJournal(directory: place.journal)
        try await make("a", in: before)
        try await make("b", in: before)
        await before.close()
        let journal = try SQLiteJournal(directory: place.journal)
        try await expect(.tooManySessions) { () async throws(JournalFailure) in
            try await make("c", in: journal)
        }
        try await journal.erase(SessionName(mount: "/list", id: "a"))
        var isMade = false
        while !isMade {
            do throws(JournalFailure) {
                try await make("c", in: journal)
                isMade = true
            } catch {
                try #require(error == .tooManySessions)
            }
        }
        await journal.close()
    }

    @Test func `a state that comes with entries becomes a snapshot, shortly before the end, too`()
        async throws
    {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        let session = try await TestSession("a", in: journal)
        let database = try Database(place.database)
        var (known, versions) = (session, [0])
        // The one before it is not read, and may be no state.
        for state in ["state || '!'", "substr(state, 1, length(state) - 1)"] {
            let (stated, end) = (known.version + 50, known.version + 60)
            var submitted: [(ticket: UInt64, outcome: AppendOutcome?)] = []
            while known.version < end {
                let entries = known.batch(of: 1, behind: known.version, key: "\(known.version)")
                known.note(entries)
                submitted.append(
                    session.submit(entries, state: known.version == stated ? known.state : nil))
            }
            for ticket in submitted { #expect(await session.outcome(ticket) == .kept) }
            versions.append(Int(stated))
            let found = try database.write { database in
                let sql = "UPDATE snapshot SET state = CAST(\(state) AS BLOB) WHERE version = 50"
                try database.execute(sql)
                return try database.rows("SELECT version FROM snapshot ORDER BY version").map {
                    Int($0[0].integer)
                }
            }
            #expect(found == versions)
        }
        database.close()
        #expect(try await journal.keys(of: session.lease, since: TestSession.created).count == 110)
        await journal.close()
        let found = try JournalDirectory(place.journal).check()
        #expect(found.damaged.isEmpty && found.entries == 120)
    }

    @Test func `where locks do not work the older server is stale`() async throws {
        let place = try Place()
        let older = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: older)
        try await session.append()
        try FileManager.default.removeItem(atPath: "\(place.journal)/journal.lock")
        let newer = try SQLiteJournal(directory: place.journal)
        let late = session.submit(session.batch(of: 1, behind: 1))
        #expect(await session.outcome(late) == .stale)
        let name = session.name
        try await expect(.heldElsewhere) { () throws(JournalFailure) in
            try await older.open(name, making: nil)
        }
        try await session.reopen(in: newer)
        try await session.append()
        await older.close()
        await newer.close()
    }
}
