import JournalConformance
import JournalPostgreSQL
import JournalSQLite
import Journaling
import PostgreSQLServer
import Redux
import TemporaryFolder
import Testing

/// A journal as lines of JSON, and what a check says.
@Suite(withPostgreSQL) struct PostgreSQLLinesTests {
    private func make(_ id: String, in journal: any Journal) async throws -> TestSession {
        var session = try await TestSession(id, in: journal, since: TestSession.now)
        for number in 1...70 { try await session.append(key: "key-\(number)") }
        try await session.append(3, schema: 2)
        try await session.append(isSecret: true)
        for meta in ["{\"a\":\r\n1}", TestSession.nest(128)] {
            try await session.append(meta: meta)
        }
        return session
    }

    @Test func `what is exported from a directory is the same in a database, and back`()
        async throws
    {
        let folder = TemporaryFolder()
        let directory = JournalDirectory("\(folder.path)/a")
        let file = try SQLiteJournal(directory: "\(folder.path)/a")
        var session = try await make("a", in: file)
        await file.close()
        var lines: [[UInt8]] = []
        try directory.export(withSecrets: true) { lines.append($0) }

        let place = try Place()
        let address = place.server.address
        let found = try await PostgreSQLJournal.import(
            lines, into: address, options: place.options)
        #expect(found == (sessions: 1, withoutKeys: 0))
        let journal = try place.open()
        try await session.reopen(in: journal)
        let check = try await journal.check()
        #expect(check.sessions == 1 && check.entries == 76 && check.damaged.isEmpty)
        var others: [[UInt8]] = []
        let exported = try await journal.export(withSecrets: true) { others.append($0) }
        #expect(exported.sessions == 1 && exported.lost.isEmpty)
        #expect(others == lines)
        await #expect(throws: JournalRefusal.self) {
            try await PostgreSQLJournal.import(lines, into: address, options: place.options)
        }
        try await journal.keep(nil, of: session.lease, isAsleep: true)
        _ = try await PostgreSQLJournal.import(
            lines, into: address, options: place.options, isReplacing: true)
        let opened = try await journal.open(session.name, making: nil)
        #expect(opened?.epoch != TestSession.epoch && opened?.document?.version == 77)
        await journal.close()

        let other = JournalDirectory("\(folder.path)/b")
        #expect(try other.import(others).withoutKeys == 0)
        let back = try SQLiteJournal(directory: "\(folder.path)/b")
        try await session.reopen(in: back)
        await back.close()
    }

    @Test func `lines that cannot be taken in leave nothing of their session`() async throws {
        let (place, other) = (try Place(), try Place())
        let journal = try place.open()
        _ = try await make("a", in: journal)
        var (lines, redacted): ([[UInt8]], [[UInt8]]) = ([], [])
        _ = try await journal.export(withSecrets: true) { lines.append($0) }
        _ = try await journal.export { redacted.append($0) }
        for (wrong, sentence) in [
            (redacted, "Line 75 is not imported: it was exported without its secrets."),
            (
                Array(lines[..<5] + lines[6...]),
                "Line 6 is not imported: its version is 6, and not 5."
            ),
            (Array(lines[1...]), "Line 1 is not imported: it is about no session."),
            (Array(lines[..<73]), "Line 73 is not imported: a batch has no last entry."),
        ] {
            do throws(JournalRefusal) {
                _ = try await PostgreSQLJournal.import(
                    wrong, into: other.server.address, options: other.options)
                Issue.record("It is imported.")
            } catch {
                #expect(error.description == sentence)
            }
        }
        let empty = try other.open()
        #expect(try await empty.sessions(after: nil, limit: 1).isEmpty)
        await empty.close()
        await journal.close()
    }

    @Test func `a check names what was changed, and how far it is whole`() async throws {
        let place = try Place()
        let journal = try place.open()
        var session = try await TestSession("a", in: journal)
        for _ in 0..<9 { try await session.append() }
        _ = try await TestSession("b", in: journal)
        try await place.ask("UPDATE entry SET at = at + 1 WHERE version = 8")
        let check = try await journal.check()
        #expect(check.sessions == 2)
        #expect(check.damaged.map(\.session) == ["/list/sessions/a"])
        #expect(check.damaged.map(\.good) == [7])
        var lines: [String] = []
        let exported = try await journal.export {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        #expect(exported.lost == ["/list/sessions/a is damaged: it has no line."])
        #expect(lines.count == 1 && lines[0].hasPrefix(#"{"session":"/list/sessions/b","#))
        await journal.close()
    }
}
