import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import SQLite
import Testing

@Suite struct DirectoryTests {
    /// A journal with sessions of several lengths, one of them trimmed by forgetting.
    private func fill(_ place: Place) async throws -> [TestSession] {
        let journal = try SQLiteJournal(directory: place.journal)
        var sessions: [TestSession] = []
        for (id, count) in [("a", 0), ("b", 7), ("c", 150)] {
            var session = try await TestSession(id, in: journal, since: TestSession.now)
            for number in 0..<count { try await session.append(number % 3 + 1, key: "k\(number)") }
            sessions.append(session)
        }
        try await journal.forget(sessions[2].lease, through: 99)
        try await sessions[1].keep(255, isAsleep: true)
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

    @Test func `whose database is looked for again keeps what SQLite has locked in it`() throws {
        let folder = try DataFolder(try Place().journal)
        #expect(try folder.makeDatabase())
        let database = try Database(folder.database)
        try database.run("PRAGMA journal_mode = WAL")
        try database.run("CREATE TABLE t(a)")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.database)
        let number = try #require(attributes[.systemFileNumber] as? Int)
        func locks() throws -> [Substring] {
            try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
                .filter { $0.contains(":\(number) ") }.map { $0.drop { $0 != " " } }
        }
        let before = try locks()
        #expect(!before.isEmpty)
        #expect(try !folder.makeDatabase())
        #expect(try locks() == before)
        withExtendedLifetime(database) {}
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
        #expect(found.sessions == 3)
        #expect(found.entries == Int(last.version) + Int(sessions[2].version) - 99)
        await journal.close()
    }

    @Test func `a copy that is made while the journal goes on is whole`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<80 { try await session.append() }
        let copy = try Place()
        try JournalDirectory(place.journal).copy(to: copy.journal)
        let kept = session
        try await session.append()
        await journal.close()
        let other = try SQLiteJournal(directory: copy.journal)
        var copied = kept
        try await copied.reopen(in: other)
        await other.close()
    }

    @Test func `a copy that was not finished is no journal, until it is made again`() async throws {
        let (place, other) = (try Place(), try Place())
        _ = try await fill(place)
        // So far a copy has come that was killed, with what SQLite would take back of it.
        try FileManager.default.createDirectory(
            atPath: other.journal, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let part = "\(other.journal)/journal.copy"
        for end in ["", "-journal"] { try Data([1, 2, 3]).write(to: URL(filePath: part + end)) }
        // Whoever has made it.
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: part)
        let refusal = #expect(throws: JournalRefusal.self) {
            try SQLiteJournal(directory: other.journal)
        }
        #expect(
            refusal?.description
                == "\(part) is a copy that was not finished: make it again, or remove it.")
        #expect(!FileManager.default.fileExists(atPath: other.database))
        try JournalDirectory(place.journal).copy(to: other.journal)
        let found = try FileManager.default.contentsOfDirectory(atPath: other.journal)
        #expect(!found.contains { $0.hasPrefix("journal.copy") })
        #expect(try JournalDirectory(other.journal).check().sessions == 3)
    }

    @Test func `a copy takes the place of no journal that was brought back meanwhile`() async throws
    {
        let (place, other) = (try Place(), try Place())
        _ = try await fill(place)
        let refusal = #expect(throws: JournalRefusal.self) {
            try JournalDirectory(place.journal).copy(to: other.journal) { _, _ in
                _ = FileManager.default.createFile(atPath: other.database, contents: Data([1]))
            }
        }
        #expect(refusal?.description == "\(other.database) is there already.")
        #expect(FileManager.default.contents(atPath: other.database) == Data([1]))
    }

    @Test func `a session that is damaged is told by name, with what is whole`() async throws {
        let place = try Place()
        _ = try await fill(place)
        let database = try Database(place.database)
        try database.write { database in
            let session = "(SELECT id FROM session WHERE name = '/list/sessions/b')"
            try database.execute(
                """
                UPDATE entry SET head = CAST('{}' AS BLOB)
                WHERE seq = (SELECT max(seq) FROM entry WHERE session = \(session))
                """)
        }
        database.close()
        let found = try JournalDirectory(place.journal).check()
        #expect(found.damaged.map(\.session) == ["/list/sessions/b"])
        #expect(found.damaged.first?.good == 12)
        #expect(found.pages.isEmpty)
        var lines: [[UInt8]] = []
        let lost = try JournalDirectory(place.journal).export { lines.append($0) }
        #expect(lost.count == 1 && lost[0].hasPrefix("/list/sessions/b is damaged: "))
        let other = try Place()
        let count = try JournalDirectory(other.journal).import(lines).sessions
        #expect(count == (lost[0].hasSuffix("it has no line.") ? 2 : 3))
    }

    @Test(arguments: [("k75", ["a", "b"]), ("k148", ["a"])])
    func `a damaged page is told, with the newest entries, too, and the rest is exported`(
        key: String, whole names: [String]
    ) async throws {
        let (whole, place) = (try Place(), try Place())
        let running = try SQLiteJournal(directory: whole.journal)
        var sessions: [TestSession] = []
        for (id, count) in [("a", 3), ("c", 150), ("b", 1)] {
            var session = try await TestSession(id, in: running, since: TestSession.now)
            for number in 0..<count { try await session.append(key: "k\(number)") }
            sessions.append(session)
        }
        // As a crash leaves it: no row knows of the entries.
        try FileManager.default.copyItem(atPath: whole.journal, toPath: place.journal)
        await running.close()
        let database = try Database(place.database)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        try place.damagePage(with: #""key":"\#(key)""#)
        let found = try JournalDirectory(place.journal).check()
        // Of those that end on the page it is not known.
        let isKnown = names.contains("b")
        #expect(!found.pages.isEmpty)
        #expect(found.damaged.map(\.session) == (isKnown ? ["/list/sessions/c"] : []))
        var lines: [[UInt8]] = []
        let lost = try JournalDirectory(place.journal).export(withSecrets: true) {
            lines.append($0)
        }
        #expect(lost.count == (isKnown ? 2 : 1))
        let other = try Place()
        #expect(try JournalDirectory(other.journal).import(lines).sessions >= 2)
        let journal = try SQLiteJournal(directory: other.journal)
        for var session in sessions where names.contains(session.name.id) {
            try await session.reopen(in: journal)
        }
        await journal.close()
    }

    @Test func `sessions are taken elsewhere as lines`() async throws {
        let place = try Place()
        let sessions = try await fill(place)
        let exported = try lines(of: place)
        let other = try Place()
        #expect(try JournalDirectory(other.journal).import(exported) == (3, 0))
        #expect(try lines(of: other) == exported)
        let journal = try SQLiteJournal(directory: other.journal)
        for var session in sessions {
            try await session.reopen(in: journal)
            try await session.append()
        }
        await journal.close()
    }

    @Test func `an entry is one line, also of an action on several lines or as deep as may be`()
        async throws
    {
        let (place, other) = (try Place(), try Place())
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal, since: TestSession.now)
        let forged = "{\"a\":\r\n{\"version\":9,\"at\":1}\n}"
        for meta in [forged, TestSession.nest(128)] { try await session.append(meta: meta) }
        await journal.close()
        let exported = try lines(of: place)
        #expect(exported.count == 3 && !exported.joined().contains { [10, 13].contains($0) })
        // Who has mended them may have set white space.
        let mended = exported.map {
            Array(String(decoding: $0, as: UTF8.self).replacing(":", with: "\r: ").utf8)
        }
        #expect(try JournalDirectory(other.journal).import(mended) == (1, 0))
        #expect(try lines(of: other) == exported)
        let copy = try SQLiteJournal(directory: other.journal)
        try await session.reopen(in: copy)
        await copy.close()
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
        #expect(try directory.import(exported, isReplacing: true) == (1, 0))
        let journal = try SQLiteJournal(directory: place.journal)
        let opened = try #require(try await journal.open(sessions[1].name, making: nil))
        #expect(opened.epoch != TestSession.epoch)
        #expect(opened.document?.json == sessions[1].state)
        // The first entry of the epoch names it, and changes nothing.
        let version = sessions[1].version
        #expect(opened.document?.version == version + 1)
        let first = try await journal.entries(
            of: sessions[1].name, after: version, limit: ReadLimit(entryCount: 9))
        let head = """
            {"origin":"server","kind":"reverted","epoch":"\(opened.epoch)",\
            "former":"\(TestSession.epoch)"}
            """
        #expect(first.map(\.head) == [Array(head.utf8)] && first[0].patch == nil)
        await journal.close()
    }

    @Test func `lines that end within a batch are refused by that, and nothing of them is there`()
        async throws
    {
        let (place, other) = (try Place(), try Place())
        _ = try await fill(place)
        // Behind the session's line its entries: the last batch but one is of versions 10 to 12.
        let cut = try lines(of: place, "/list/sessions/b").prefix(12)
        let refusal = #expect(throws: JournalRefusal.self) {
            try JournalDirectory(other.journal).import(cut)
        }
        #expect(refusal?.description == "Line 12 is not imported: a batch has no last entry.")
        #expect(try JournalDirectory(other.journal).check().sessions == 0)
    }

    private static let session = """
        {"session":"/list/sessions/a","epoch":"k3f9x2ab","created":4102444800000,"version":3,\
        "lastChange":2,"schema":1,"keys":[],"state":{"list":[]}}
        """
    private static let entry = """
        {"version":4,"at":4102444800001,"schema":1,"isLast":true,"head":{"origin":"client"},"patch":[]}
        """

    @Test(arguments: [
        (1, "sessions/a", #"sessions/a\r\nX: y"#, "session"),
        (1, "/list", #"/l\u001bst"#, "session"),
        (1, "k3f9x2ab", #"a\r\nSet-Cookie: a=b"#, "epoch"), (1, "k3f9x2ab", "k3-f9", "epoch"),
        (1, "k3f9x2ab", "k3-9.x", "epoch"), (1, "k3f9x2ab", "", "epoch"),
        (1, #""created":4102444800000"#, #""created":8640000000000001"#, "created"),
        (1, #""version":3"#, #""version":9007199254740993"#, "version"),
        (1, #""lastChange":2"#, #""lastChange":4"#, "lastChange"),
        (1, #""schema":1"#, #""schema":1,"lastTime":-9223372036854775808"#, "lastTime"),
        (2, #""version":4"#, #""version":9223372036854775807"#, "version"),
        (2, #""at":4102444800001"#, #""at":-9223372036854775808"#, "at"),
        (2, #"{"origin":"client"}"#, "7", "head"),
    ])
    func `what no journal has written is refused by the name of its member`(
        line: Int, part: String, wrong: String, name: String
    ) throws {
        let (place, others) = (try Place(), [Self.session, Self.entry])
        let lines = others.enumerated().map { number, text in
            number + 1 == line ? text.replacingOccurrences(of: part, with: wrong) : text
        }
        #expect(lines != others)
        let directory = JournalDirectory(place.journal)
        let refusal = #expect(throws: JournalRefusal.self) {
            try directory.import(lines.map { Array($0.utf8) })
        }
        let sentence = "Line \(line) is not imported: its \(name) is not allowed."
        #expect(refusal?.description == sentence)
        #expect(try directory.import(others.map { Array($0.utf8) }).sessions == 1)
    }

    @Test(
        arguments: [(1, 2, 1), (1, 1, 1 << 62), (.min, 1, 1), (.max, 1, 1)]
            as [(Int64, UInt64, UInt64)])
    func `keys of which no entry can have are refused`(
        at: Int64, first: UInt64, last: UInt64
    ) throws {
        var bytes = [UInt8](repeating: 0, count: 32)
        for number in [UInt64(bitPattern: at), first, last] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        bytes += [0, 0, 0, 0, 0]
        let line = Self.session.replacingOccurrences(of: "[],", with: "\(bytes),")
        let place = try Place()
        let refusal = #expect(throws: JournalRefusal.self) {
            try JournalDirectory(place.journal).import([Array(line.utf8)])
        }
        #expect(refusal?.description == "Line 1 is not imported: its keys are not allowed.")
    }

    @Test func `keys count where another journal hashes as theirs, and nowhere else`() async throws
    {
        let place = try Place()
        let sessions = try await fill(place)
        let name = sessions[1].name
        let keys = { (place: Place) in
            let journal = try SQLiteJournal(directory: place.journal)
            let opened = try #require(try await journal.open(name, making: nil))
            let keys =
                try await journal.keys(of: opened.lease, since: TestSession.created) + opened.keys
            await journal.close()
            return keys
        }
        let expected = try await keys(place)
        #expect(expected.count == 7)
        for (withSecrets, isUsed) in [(true, false), (true, true), (false, false)] {
            let other = try Place()
            if isUsed { _ = try await fill(other) }
            let lines = try lines(of: place, name.description, withSecrets: withSecrets)
            let hasKeys = withSecrets && !isUsed
            let found = try JournalDirectory(other.journal).import(lines, isReplacing: isUsed)
            #expect(found == (1, hasKeys ? 0 : 1))
            let kept = try await keys(other)
            #expect(kept == (hasKeys ? expected : []))
        }
    }

    @Test func `works of a session that is replaced go on in the epoch of their entries`()
        async throws
    {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        for (id, head) in [("a", #"{"starts":["pay"]}"#), ("b", "{}")] {
            let session = try await TestSession(id, in: journal)
            var entries = session.batch(of: 1, behind: 0)
            entries[0].head = Array(head.utf8)
            #expect(await session.outcome(session.submit(entries)) == .kept)
        }
        await journal.close()
        #expect(
            try JournalDirectory(place.journal).import(lines(of: place), isReplacing: true) == (
                2, 0
            ))
        let again = try SQLiteJournal(directory: place.journal)
        for (id, token) in [("a", "-1"), ("b", "-0")] {
            let opened = try await again.open(SessionName(mount: "/list", id: id), making: nil)
            let work = String(decoding: opened?.work?.bytes ?? [], as: UTF8.self)
            #expect(work.contains(TestSession.epoch + token))
            #expect(opened?.epoch != TestSession.epoch)
        }
        await again.close()
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
        #expect(try JournalDirectory(other.journal).import(clear) == (1, 0))
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
