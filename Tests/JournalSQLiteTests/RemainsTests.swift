import Foundation
import JournalConformance
import JournalRows
import JournalSQLite
import Journaling
import Redux
import SQLite
import Testing

/// What is left of a session where something was damaged, or forgotten.
@Suite struct RemainsTests {
    private func open(_ place: Place, daysLater: Int64 = 0) throws -> SQLiteJournal {
        var options = SQLiteJournal.Options()
        let now = TestSession.created.milliseconds + daysLater * 24 * 3_600_000
        options.now = { _ in now }
        return try SQLiteJournal(directory: place.journal, options: options)
    }

    @Test func `a session whose end is on a damaged page is read and reverted, and costs no other`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var (session, other) = try await (
            TestSession("a", in: journal), TestSession("b", in: journal)
        )
        for _ in 0..<120 { try await session.append() }
        // New entries stand some pages behind.
        for _ in 0..<110 { try await other.append() }
        await journal.close()
        try place.damagePage(with: #""value":120}"#)
        journal = try SQLiteJournal(directory: place.journal)
        do {
            try await session.reopen(in: journal)
            Issue.record("It is opened.")
        } catch JournalFailure.damaged {}
        var third = try await TestSession("c", in: journal)
        for _ in 0..<3 {
            let asked = third.batch(of: 1, behind: third.version)
            let submitted = third.submit(asked)
            let document = try await journal.document(of: session.name, at: 70)
            try session.check(document, at: 70)
            let found = try await journal.entries(
                of: session.name, after: 65, limit: ReadLimit(entryCount: 5))
            #expect(found.map(\.version) == Array(66...70))
            #expect(await third.outcome(submitted) == .kept)
            third.note(asked)
        }
        #expect(try await session.revert(to: 70, "x1"))
        try await session.append()
        try await third.append()
        try await session.reopen()
        try await third.reopen()
        await journal.close()
    }

    @Test func `what was erased goes, though an earlier one has left a damaged page`() async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var names: [SessionName] = []
        for id in ["a", "b", "c"] {
            var session = try await TestSession(id, in: journal)
            for _ in 0..<120 { try await session.append() }
            names.append(session.name)
        }
        await journal.close()
        try place.damagePage(with: #""value":120}"#)
        journal = try SQLiteJournal(directory: place.journal)
        for name in [names[0], names[2]] { try await journal.erase(name) }
        let reader = try Database(place.database, isReadOnly: true)
        func count(_ text: String) throws -> Int {
            try reader.read { database in
                try database.integer("SELECT count(*) FROM \(text)") ?? 0
            }
        }
        for _ in 0..<500 {
            if try count("session WHERE id = 3") == 0 { break }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
        #expect(try count("session WHERE id = 3") == 0)
        #expect(try count("scrub") == 1)
        await journal.close()
    }

    @Test func `a session that is reverted knows the keys before what was damaged`() async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for version in 1...9 { try await session.append(key: "\(version)") }
        for _ in 10...12 { try await session.append() }
        await journal.close()
        let database = try Database(place.database)
        try database.write { database in
            try database.execute("UPDATE entry SET at = at + 1 WHERE version = 11")
        }
        database.close()
        journal = try SQLiteJournal(directory: place.journal)
        do {
            try await session.reopen(in: journal)
            Issue.record("It is opened.")
        } catch JournalFailure.damaged(good: 10) {}
        // What is opened then has all keys.
        #expect(try await session.revert(to: 8, "x1"))
        await journal.close()
    }

    @Test func `of snapshots with a wrong bit the entries tell the keys`() async throws {
        let place = try Place()
        var journal = try open(place)
        var session = try await TestSession("a", in: journal)
        for version in 1...200 { try await session.append(key: "\(version)") }
        await journal.close()
        #expect(try await damageSnapshots(in: place, "BETWEEN 1 AND 150") == 2)
        journal = try open(place)
        try await session.reopen(in: journal)
        let keys = try await journal.keys(of: session.lease, since: TestSession.created)
        #expect(Set(keys).count == keys.count)
        await journal.close()
        #expect(try await damageSnapshots(in: place, "> 150") == 1)
        journal = try open(place)
        do {
            try await session.reopen(in: journal)
            Issue.record("It is opened.")
        } catch JournalFailure.damaged(good: 0) {}
        #expect(try await session.revert(to: 50, "x1"))
        try await journal.forget(session.lease, through: session.version)
        try await session.reopen()
        await journal.close()
    }

    private func damageSnapshots(in place: Place, _ versions: String) async throws -> Int {
        let database = try Database(place.database)
        defer { database.close() }
        return try database.write { database in
            try database.execute(
                "UPDATE snapshot SET changed = changed - 1 WHERE version \(versions)")
            return try #require(try database.integer("SELECT changes()"))
        }
    }

    @Test func `of a state whose snapshot has become shorter, erasing leaves no bytes`()
        async throws
    {
        let place = try Place()
        let text = "forgotten \(TestSession.epoch)"
        var journal = try open(place)
        let session = try await TestSession("a", in: journal)
        var entries = session.batch(of: 1, behind: 0, key: "key")
        let batch = String(repeating: "b", count: 20_000)
        entries[0].head = Array(#"{"by":{"id":"ada"},"key":"key","batch":"\#(batch)"}"#.utf8)
        let value = String(repeating: text, count: 1_000)
        entries[0].patch = Array(#"[{"op":"add","path":"/text","value":"\#(value)"}]"#.utf8)
        #expect(await session.outcome(session.submit(entries)) == .kept)
        let work = KeptWork(version: 1, bytes: [1])
        try await journal.keep(work, of: session.lease, isAsleep: false)
        await journal.close()
        func isLeft() throws -> Bool {
            let bytes = try Data(contentsOf: URL(filePath: place.database))
            return bytes.range(of: Data(text.utf8)) != nil
        }
        #expect(try isLeft())
        journal = try open(place, daysLater: 2)
        let opened = try #require(try await journal.open(session.name, making: nil))
        // The key is old by now.
        try await journal.forget(opened.lease, through: 1)
        try await journal.erase(session.name)
        await journal.close()
        #expect(try !isLeft())
    }

    @Test func `what is no version is another number, and there is none before the first`() {
        let versions = [Int64.min, -1, 0, 7, .max].map { SQLValue.integer($0).version }
        #expect(versions == [1 << 62, 1 << 62, 0, 7, 1 << 62])
        let document = StoredDocument(
            version: 0, lastChange: 0, lastTime: nil, schema: 1, json: [])
        var end: (document: StoredDocument, chain: UInt32)? = (document, 1)
        #expect(throws: JournalFailure.damaged(good: nil)) {
            try Passage(StoredState(document)).follow(&end)
        }
    }
}
