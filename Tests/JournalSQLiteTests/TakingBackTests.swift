import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import SQLite
import Testing

/// What fails leaves nothing behind, in the tables and beside them.
@Suite struct TakingBackTests {
    @Test func `a batch that fails half-way is in no later state`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<10 { try await session.append() }
        let database = try Database(place.database)
        try database.write { database in
            try database.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON entry WHEN new.version = 12
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        let refused = session.submit(
            session.batch(of: 1, behind: 10) + session.batch(of: 1, behind: 11))
        #expect(await session.outcome(refused) == .refused(.unavailable))
        try database.write { try $0.execute("DROP TRIGGER refuse") }
        try await appendUntilSnapshot(&session, database)
        database.close()
        try await session.reopen()
        await journal.close()
        #expect(try JournalDirectory(place.journal).check().damaged.isEmpty)
    }

    @Test func `an erasure that fails half-way leaves the session as it was`() async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<5 { try await session.append() }
        await journal.close()
        // The table that an erasure writes to last.
        try place.change(0, of: "scrub") { $0 = 0xff }
        journal = try SQLiteJournal(directory: place.journal)
        try await session.reopen(in: journal)
        let (damaged, name) = (journal, session.name)
        try await expect(.damaged(good: nil)) { () throws(JournalFailure) in
            try await damaged.erase(name)
        }
        try await session.append()
        try await session.reopen()
        await journal.close()
    }

    @Test func `a damaged page costs those who touch it, and nobody beside them`() async throws {
        let place = try Place()
        try await SQLiteJournal(directory: place.journal).close()
        // Alarms alone touch it.
        try place.change(0, of: "session_alarm") { $0 = 0xff }
        let journal = try SQLiteJournal(directory: place.journal)
        var (session, other) = try await (
            TestSession("a", in: journal), TestSession("b", in: journal)
        )
        for _ in 0..<20 {
            let kept = other.batch(of: 1, behind: other.version)
            let refused = session.batch(of: 1, behind: session.version)
            let tickets = [
                session.submit(refused, alarm: .at(TestSession.created)), other.submit(kept),
                session.submit(session.batch(of: 1, behind: session.version + 1)),
            ]
            #expect(await session.outcome(tickets[0]) == .refused(.damaged(good: nil)))
            #expect(await other.outcome(tickets[1]) == .kept)
            #expect(await session.outcome(tickets[2]) == .refused(.unavailable))
            other.note(kept)
            try await session.append()
        }
        try await session.reopen()
        try await other.reopen()
        await journal.close()
    }

    /// A session that has ended the process twice in its first action.
    private func frozen(in place: Place) async throws -> (SQLiteJournal, TestSession) {
        var session: TestSession?
        for second in [0, 50] {
            let journal = try open(place, at: second)
            if session == nil { session = try await TestSession("a", in: journal) }
            try await session?.reopen(in: journal)
            journal.reduces(try #require(session).lease, to: 1, isDone: false, on: 1)
            await journal.close()
            try place.trap()
        }
        let journal = try open(place, at: 60)
        let found = try #require(session)
        let opened = try await journal.open(found.name, making: nil)
        #expect(opened?.isFrozen == true)
        return (journal, found)
    }

    private func open(_ place: Place, at second: Int) throws -> SQLiteJournal {
        var options = SQLiteJournal.Options()
        options.now = { _ in TestSession.created.milliseconds + Int64(second) * 1_000 }
        return try SQLiteJournal(directory: place.journal, options: options)
    }

    @Test func `a revert whose commit fails leaves the session frozen`() async throws {
        let place = try Place()
        let (journal, session) = try await frozen(in: place)
        try await refuseCommits(in: place, on: "INSERT ON snapshot")
        let (name, entry) = (session.name, session.batch(of: 1, behind: 0)[0])
        try await expect(.unavailable) { () throws(JournalFailure) in
            try await journal.revert(name, to: 0, by: entry, epoch: "other")
        }
        #expect(try await journal.open(session.name, making: nil)?.isFrozen == true)
        await journal.close()
    }

    @Test func `a session in the place of one that was erased is not frozen`() async throws {
        let place = try Place()
        let (journal, session) = try await frozen(in: place)
        try await journal.erase(session.name)
        let other = try await TestSession("b", in: journal)
        let opened = try await journal.open(other.name, making: nil)
        #expect(opened?.isFrozen == false)
        await journal.close()
    }

    /// Has each commit fail that has done this.
    private func refuseCommits(in place: Place, on events: String...) async throws {
        let database = try Database(place.database, timeout: .seconds(5))
        try database.write { database in
            try database.execute(
                """
                CREATE TABLE parent(id INTEGER PRIMARY KEY);
                CREATE TABLE child(id REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)
                """)
            for (number, event) in events.enumerated() {
                try database.execute(
                    """
                    CREATE TRIGGER refuse\(number) AFTER \(event)
                    BEGIN INSERT INTO child VALUES (1); END
                    """)
            }
        }
        database.close()
    }

    @Test func `a session that ends while it is reverted stays ended`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        for round in 0..<60 {
            var session = try await TestSession("\(round)", in: journal)
            for _ in 0..<2 { try await session.append() }
            let (name, entry) = (session.name, session.batch(of: 1, behind: 2)[0])
            async let failure: JournalFailure? = {
                do throws(JournalFailure) {
                    try await journal.revert(name, to: 1, by: entry, epoch: "other")
                    return nil
                } catch { return error }
            }()
            for _ in 0..<round * 10 { await Task.yield() }
            try await journal.erase(name)
            let found = await failure
            #expect(found == nil || found == .compacted(oldest: nil))
        }
        await journal.close()
    }

    @Test func `however many sessions are damaged, the others of their commit are kept`()
        async throws
    {
        let place = try Place()
        try await SQLiteJournal(directory: place.journal).close()
        try place.change(0, of: "session_alarm") { $0 = 0xff }
        let journal = try SQLiteJournal(directory: place.journal)
        var sessions: [TestSession] = []
        for number in 0..<40 { sessions.append(try await TestSession("\(number)", in: journal)) }
        let whole = try await TestSession("whole", in: journal)
        let tickets = sessions.enumerated().map { number, session in
            (
                session.submit(
                    session.batch(of: 1, behind: 0), alarm: .at(TestSession.created)),
                whole.submit(whole.batch(of: 1, behind: UInt64(number)))
            )
        }
        for (session, (refused, kept)) in zip(sessions, tickets) {
            #expect(await session.outcome(refused) == .refused(.damaged(good: nil)))
            #expect(await whole.outcome(kept) == .kept)
        }
        await journal.close()
    }

    @Test func `upkeep that fails refuses nobody, and is told`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        let database = try Database(place.database)
        try database.write { database in
            try database.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON snapshot
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        for _ in 0..<100 { try await session.append() }
        #expect(journal.status.upkeepFailure == .unavailable)
        try database.write { try $0.execute("DROP TRIGGER refuse") }
        try await appendUntilSnapshot(&session, database)
        database.close()
        try await session.reopen()
        #expect(journal.status.upkeepFailure == nil)
        await journal.close()
        #expect(try JournalDirectory(place.journal).check().damaged.isEmpty)
    }

    @Test func `what was erased leaves the log once nobody reads there`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<5 { try await session.append() }
        let reader = try Database(place.database, timeout: .seconds(5))
        try reader.execute("BEGIN; SELECT count(*) FROM entry")
        try await journal.erase(session.name)
        var other = try await TestSession("b", in: journal)
        for _ in 0..<20 { try await other.append() }
        #expect(try byteCount(place.log) > 0)
        try reader.execute("COMMIT")
        while try byteCount(place.log) > 0 {
            _ = try await journal.sessions(after: nil, limit: 1)
        }
        reader.close()
        await journal.close()
    }

    /// After a failure upkeep rests for a second.
    private func appendUntilSnapshot(
        _ session: inout TestSession, _ database: Database
    ) async throws {
        while try database.read({ database in
            try database.integer("SELECT count(*) FROM snapshot") == 1
        }) {
            try await session.append()
        }
    }

    private func byteCount(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    @Test(arguments: ["seq = 7", "seq >= 7"])
    func `a session whose last entry is lost says which one is whole, and goes back if told to`(
        lost: String
    ) async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var (session, other, erased) = try await (
            TestSession("a", in: journal), TestSession("b", in: journal),
            TestSession("c", in: journal)
        )
        for _ in 0..<2 { try await other.append() }
        for _ in 0..<5 { try await session.append() }
        try await erased.append()
        try await journal.erase(erased.name)
        await journal.close()
        let database = try Database(place.database)
        try database.write { try $0.execute("DELETE FROM entry WHERE \(lost)") }
        database.close()
        let name = session.name
        // A start takes nothing back.
        for _ in 0..<2 {
            journal = try SQLiteJournal(directory: place.journal)
            try await expect(.damaged(good: 4)) { [journal] () throws(JournalFailure) in
                try await journal.open(name, making: nil)
            }
            try await other.reopen(in: journal)
            try await other.append()
            await journal.close()
        }
        journal = try SQLiteJournal(directory: place.journal)
        let entry = session.batch(of: 1, behind: 5)[0]
        try await journal.revert(name, to: 4, by: entry, epoch: "e2")
        let opened = try #require(try await journal.open(name, making: nil))
        #expect(opened.epoch == "e2" && opened.document?.version == 6)
        await journal.close()
    }

    @Test func `more than sixteen mebibytes do not wait for a disk that hangs`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        let session = try await TestSession("a", in: journal)
        let text = #"{"origin":"\#(String(repeating: "x", count: 1 << 20))"}"#
        let hanging = try await hang(place)
        var submitted: [(ticket: UInt64, outcome: AppendOutcome?)] = []
        for version in 1...40 where submitted.last?.outcome == nil {
            let entry = EncodedEntry(
                version: UInt64(version), at: TestSession.created, head: Array(text.utf8),
                patch: nil)
            submitted.append(session.submit([entry]))
        }
        #expect(journal.isBusy)
        // Its thread has begun with the first.
        while journal.status.pendingDuration == .zero { await Task.yield() }
        try hanging.execute("ROLLBACK")
        // Sixteen wait, and what its thread has in hand.
        #expect((16..<40).contains(submitted.count))
        #expect(submitted.popLast()?.outcome == .refused(.busy))
        for ticket in submitted { #expect(await session.outcome(ticket) == .kept) }
        let next = session.batch(of: 1, behind: UInt64(submitted.count))
        #expect(await session.outcome(session.submit(next)) == .kept)
        hanging.close()
        await journal.close()
    }

    /// Another one that writes, until it is rolled back.
    private func hang(_ place: Place) async throws -> Database {
        let other = try Database(place.database, timeout: .seconds(5))
        try other.execute("BEGIN IMMEDIATE")
        return other
    }

    @Test func `a journal that hangs while it is opened again tells how long`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        let session = try await TestSession("a", in: journal)
        try await refuseCommits(in: place, on: "INSERT ON entry", "INSERT ON journal")
        let ticket = session.submit(session.batch(of: 1, behind: 0))
        #expect(await session.outcome(ticket) == .unknown)
        let hanging = try await hang(place)
        while journal.status.pendingDuration < .milliseconds(300) { await Task.yield() }
        #expect(!journal.status.isAvailable)
        try hanging.execute("DROP TRIGGER refuse0; DROP TRIGGER refuse1; COMMIT")
        hanging.close()
        while !journal.status.isAvailable { await Task.yield() }
        let opened = try #require(try await journal.open(session.name, making: nil))
        let next = session.submit(session.batch(of: 1, behind: 0), by: opened.lease)
        #expect(await session.outcome(next) == .kept)
        await journal.close()
    }

    @Test func `a page of marks that says nothing true is no end`() async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        await journal.close()
        let marks = Data((0..<4_096).map { $0 % 8 == 7 ? 0x80 : 0 })
        try marks.write(to: URL(filePath: "\(place.journal)/journal.reducing"))
        journal = try SQLiteJournal(directory: place.journal)
        try await session.reopen(in: journal)
        await journal.close()
    }
}
