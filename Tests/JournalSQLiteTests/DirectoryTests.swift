import Foundation
import GRDB
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import Testing

@Suite struct DirectoryTests {
    /// A journal with sessions of several lengths, one of them trimmed by forgetting.
    private func fill(_ place: Place) async throws -> [TestSession] {
        let journal = try SQLiteJournal(directory: place.journal)
        var sessions: [TestSession] = []
        for (id, count) in [("a", 0), ("b", 7), ("c", 150)] {
            var session = try await TestSession(id, in: journal)
            for number in 0..<count { try await session.append(number % 3 + 1, key: "k\(number)") }
            sessions.append(session)
        }
        try await journal.forget(sessions[2].lease, through: 99)
        try await journal.keep(
            KeptWork(version: 7, bytes: [0, 255]), of: sessions[1].lease, isAsleep: true)
        await journal.close()
        return sessions
    }

    private func lines(
        of place: Place, _ session: String? = nil, withSecrets: Bool = true
    ) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try JournalDirectory(place.journal).export(session, withSecrets: withSecrets) {
            lines.append($0)
        }
        return lines
    }

    @Test func `a journal that is whole is found so, also while it is written to`() async throws {
        let place = try Place()
        let sessions = try await fill(place)
        let journal = try SQLiteJournal(directory: place.journal)
        var last = sessions[1]
        try await last.reopen(in: journal)
        for _ in 0..<70 { try await last.append() }
        let found = try JournalDirectory(place.journal).check()
        #expect(found.damaged.isEmpty && found.pages.isEmpty)
        #expect(found.sessionCount == 3)
        #expect(found.entryCount == Int(last.version) + Int(sessions[2].version) - 99)
        await journal.close()
    }

    @Test func `a session that is damaged is told by name, with what is whole`() async throws {
        let place = try Place()
        _ = try await fill(place)
        let database = try DatabaseQueue(path: place.database)
        try await database.write { database in
            let session = "(SELECT id FROM session WHERE name = '/list/sessions/b')"
            try database.execute(
                sql: """
                    UPDATE entry SET head = CAST('{}' AS BLOB)
                    WHERE seq = (SELECT max(seq) FROM entry WHERE session = \(session))
                    """)
        }
        try database.close()
        let found = try JournalDirectory(place.journal).check()
        #expect(found.damaged.map(\.session) == ["/list/sessions/b"])
        #expect(found.damaged.first?.good == 12)
        #expect(found.pages.isEmpty)
    }

    @Test func `sessions are taken elsewhere as lines`() async throws {
        let place = try Place()
        let sessions = try await fill(place)
        let exported = try lines(of: place)
        let other = try Place()
        #expect(try JournalDirectory(other.journal).import(exported) == 3)
        #expect(try lines(of: other) == exported)
        let journal = try SQLiteJournal(directory: other.journal)
        for var session in sessions {
            try await session.reopen(in: journal)
            try await session.append()
        }
        let opened = try await journal.open(sessions[1].name, making: nil)
        #expect(opened?.work == KeptWork(version: 7, bytes: [0, 255]))
        await journal.close()
    }

    @Test func `a session that is there is replaced only if it is said`() async throws {
        let place = try Place()
        let sessions = try await fill(place)
        let exported = try lines(of: place, "/list/sessions/b")
        let directory = JournalDirectory(place.journal)
        #expect(throws: JournalRefusal.self) { try directory.import(exported) }
        #expect(throws: JournalRefusal.self) {
            try directory.import(
                exported.dropLast() + [Array(#"{"version":99}"#.utf8)], isReplacing: true)
        }
        #expect(try directory.check().damaged.isEmpty)
        #expect(try directory.import(exported, isReplacing: true) == 1)
        let journal = try SQLiteJournal(directory: place.journal)
        let opened = try #require(try await journal.open(sessions[1].name, making: nil))
        #expect(opened.epoch != TestSession.epoch)
        #expect(opened.document?.json == sessions[1].state)
        await journal.close()
    }

    @Test func `secrets go with the lines, or keep them from being imported`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        let session = try await TestSession("a", in: journal)
        var entries = session.batch(of: 1, behind: 0)
        entries[0].secrets = Secret(Array(#"[{"op":"add","path":"/list/-","value":99}]"#.utf8))
        #expect(await session.outcome(session.submit(entries)) == .kept)
        await journal.close()
        let (hidden, clear) = (try lines(of: place, withSecrets: false), try lines(of: place))
        let other = try Place()
        #expect(throws: JournalRefusal.self) { try JournalDirectory(other.journal).import(hidden) }
        #expect(try JournalDirectory(other.journal).import(clear) == 1)
        let copy = try SQLiteJournal(directory: other.journal)
        let opened = try await copy.open(session.name, making: nil)
        #expect(opened?.document?.json == Array(#"{"list":[1,99]}"#.utf8))
        await copy.close()
    }

    @Test func `what is free goes back to the disk`() async throws {
        let place = try Place()
        let sessions = try await fill(place)
        let journal = try SQLiteJournal(directory: place.journal)
        try await journal.erase(sessions[2].name)
        await journal.close()
        let (before, after) = try JournalDirectory(place.journal).compact()
        #expect(after < before)
        #expect(try JournalDirectory(place.journal).check().damaged.isEmpty)
    }
}
