import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import SQLite
import Testing

@Suite struct DamageTests {
    /// A journal as a crash leaves it: with its log.
    private func crashed(
        _ entryCount: Int, in place: Place
    ) async throws -> (session: TestSession, copy: String) {
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<entryCount { try await session.append(key: "key") }
        try await journal.keep(
            KeptWork(version: session.version, bytes: [1, 2]), of: session.lease, isAsleep: false)
        for _ in 0..<5 {
            try await session.append(alarm: .at(TestSession.created))
        }
        let copy = "\(place.path)/copy"
        try FileManager.default.copyItem(atPath: place.journal, toPath: copy)
        await journal.close()
        return (session, copy)
    }

    /// The version at which a session is there; throws where it is not what it was at that version.
    private func version(of session: TestSession, in directory: String) async throws -> UInt64? {
        let journal = try SQLiteJournal(directory: directory)
        let opened: OpenedSession?
        do throws(JournalFailure) {
            opened = try await journal.open(session.name, making: nil)
        } catch {
            await journal.close()
            throw error
        }
        await journal.close()
        guard let document = opened?.document else { return nil }
        try session.check(document, at: document.version)
        return document.version
    }

    @Test func `of a log that was cut the longest whole part counts`() async throws {
        let place = try Place()
        let (session, copy) = try await crashed(8, in: place)
        let log = try Data(contentsOf: URL(filePath: "\(copy)/journal.sqlite-wal"))
        var last: UInt64 = 0
        // A log begins with 32 bytes; each frame is a page behind 24.
        for cut in stride(from: 32, through: log.count, by: 24 + 4_096) {
            // At its boundary, and within the frame behind it.
            for end in [cut, min(log.count, cut + 1_000)] {
                try renew(copy, with: log.prefix(end), in: place)
                let found = try await version(of: session, in: "\(place.path)/cut") ?? 0
                #expect(found >= last)
                last = found
            }
        }
        #expect(last == session.version)
    }

    @Test func `what is damaged goes on from the last version that is whole, or is ended`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var names: [SessionName] = []
        for id in ["a", "b"] {
            var session = try await TestSession(id, in: journal)
            for _ in 0..<90 { try await session.append() }
            names.append(session.name)
        }
        await journal.close()
        let database = try Database("\(place.journal)/journal.sqlite")
        try database.write { database in
            try database.execute("UPDATE entry SET previous = 3 WHERE version = 80")
        }
        database.close()
        journal = try SQLiteJournal(directory: place.journal)
        let entry = EncodedEntry(
            version: 0, at: TestSession.created, head: Array(#"{"origin":"inspector"}"#.utf8),
            patch: nil)
        var good: UInt64?
        do throws(JournalFailure) {
            _ = try await journal.open(names[0], making: nil)
        } catch .damaged(let version) {
            good = version
        }
        let version = try #require(good)
        let wanted = try await journal.document(of: names[0], at: 79)
        #expect(wanted.version == 79 && version <= 79)
        try await journal.revert(names[0], to: 79, by: entry, epoch: "e2")
        let opened = try #require(try await journal.open(names[0], making: nil))
        #expect(opened.document?.version == 91 && opened.document?.json == wanted.json)
        try await journal.erase(names[1])
        await #expect(throws: JournalFailure.ended) {
            _ = try await journal.open(names[1], making: nil)
        }
        let reader = try Database("\(place.journal)/journal.sqlite")
        for _ in 0..<200 {
            let left = try reader.read { database in
                try database.integer("SELECT count(*) FROM scrub") ?? 0
            }
            if left == 0 { break }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
        let left = try reader.read { database in
            try database.integer("SELECT count(*) FROM entry WHERE session = 2")
        }
        #expect(left == 0)
        await journal.close()
    }

    @Test func `a row that cannot be read at the start keeps no other from being written`()
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var sessions: [TestSession] = []
        for number in 0..<100 { sessions.append(try await TestSession("\(number)", in: journal)) }
        await journal.close()
        journal = try SQLiteJournal(directory: place.journal)
        for index in sessions.indices {
            try await sessions[index].reopen(in: journal)
            try await sessions[index].append()
        }
        // As a crash leaves it: rows of sessions are behind their entries.
        let copy = "\(place.path)/copy"
        try FileManager.default.copyItem(atPath: place.journal, toPath: copy)
        await journal.close()
        let file = URL(filePath: "\(copy)/journal.sqlite")
        var bytes = try Data(contentsOf: file)
        let name = Data("/list/sessions/0k3f9x2ab".utf8)
        let page = try #require(bytes.range(of: name)).lowerBound / 4_096 * 4_096
        bytes[page] = 0xff
        try bytes.write(to: file)
        for _ in 0..<2 {
            journal = try SQLiteJournal(directory: copy)
            try await sessions[99].reopen(in: journal)
            try await sessions[99].append()
            await journal.close()
        }
        let database = try Database(file.path)
        let found = try database.read { database in
            try database.first("SELECT flushed, max(seq) FROM journal, entry")
        }
        let row = try #require(found)
        #expect(row[0].integer == row[1].integer)
        database.close()
    }

    @Test func `an entry whose head is no JSON is damage, and the version before it is good`()
        async throws
    {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for _ in 0..<3 { try await session.append(key: "key") }
        let entry = EncodedEntry(
            version: 4, at: TestSession.created, head: Array("no JSON".utf8), print: 1, patch: nil)
        #expect(await session.outcome(session.submit([entry])) == .kept)
        let name = session.name
        try await expect(.damaged(good: 3)) { () throws(JournalFailure) in
            _ = try await journal.open(name, making: nil)
        }
        await journal.close()
    }

    private func renew(_ copy: String, with log: Data, in place: Place) throws {
        let cut = "\(place.path)/cut"
        try? FileManager.default.removeItem(atPath: cut)
        try FileManager.default.copyItem(atPath: copy, toPath: cut)
        try? FileManager.default.removeItem(atPath: "\(cut)/journal.sqlite-shm")
        try log.write(to: URL(filePath: "\(cut)/journal.sqlite-wal"))
    }

    @Test func `of a log with a wrong bit the part before it counts`() async throws {
        let place = try Place()
        let (session, copy) = try await crashed(40, in: place)
        let log = try Data(contentsOf: URL(filePath: "\(copy)/journal.sqlite-wal"))
        let count = ProcessInfo.processInfo.environment["JOURNAL_FAULTS"] == "1" ? 2_000 : 15
        for position in stride(from: 40, to: log.count, by: max(1, log.count / count)) {
            var wrong = log
            wrong[position] ^= 1 << (position % 8)
            try renew(copy, with: wrong, in: place)
            let found = try await version(of: session, in: "\(place.path)/cut") ?? 0
            #expect(found <= session.version)
        }
    }

    static let columns: [(String, [String])] = [
        ("journal", ["fence", "flushed", "settled", "last_seq", "hash_key", "sum"]),
        (
            "session",
            [
                "name", "epoch", "created", "status", "data_key", "sum", "head", "head_seq",
                "touched", "alarm", "head_sum",
            ]
        ),
        (
            "entry",
            [
                "session", "version", "previous", "at", "flags", "print", "head", "patch",
                "sealed", "sum",
            ]
        ),
        (
            "snapshot",
            [
                "session", "version", "seq", "at", "changed", "schema", "chain", "sum",
                "work_version", "work", "keys", "state", "sealed",
            ]
        ),
    ]

    @Test(arguments: columns.flatMap { table, columns in columns.map { [table, $0] } })
    func `a wrong bit in a column is found`(place column: [String]) async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        for count in 1...13 {
            let plain = session.batch(of: 1, behind: session.version, key: "key")
            var entries = plain
            // The state with its secret is the same.
            entries[0].secrets = Secret(
                Array(#"[{"op":"replace","path":"/list/0","value":1}]"#.utf8))
            let submitted = session.submit(entries, alarm: .at(TestSession.created))
            #expect(await session.outcome(submitted) == .kept)
            session.note(plain)
            guard count == 10 else { continue }
            try await journal.keep(
                KeptWork(version: session.version, bytes: [1, 2]), of: session.lease,
                isAsleep: false)
        }
        await journal.close()
        let database = try Database(place.database)
        try database.write { try Self.flip(column[0], column[1], in: $0) }
        database.close()
        do throws(JournalRefusal) {
            #expect(try !JournalDirectory(place.journal).check().damaged.isEmpty)
        } catch {
            #expect(column[0] == "journal", "\(error)")
        }
        do {
            let found = try await version(of: session, in: place.journal)
            // Without its newest snapshot a session has a longer way.
            if column == ["snapshot", "session"] { return #expect(found == session.version) }
            // Under another name nobody asks for it.
            #expect(column == ["session", "name"] && found == nil)
            let again = try SQLiteJournal(directory: place.journal)
            #expect(try await again.sessions(after: nil, limit: 9).isEmpty)
            await again.close()
        } catch let refusal as JournalRefusal {
            #expect(column[0] == "journal", "\(refusal)")
        } catch JournalFailure.damaged(let good) {
            #expect(good ?? 0 < session.version)
        }
    }

    /// Turns one bit in the last row of a table.
    private static func flip(_ table: String, _ column: String, in database: Database) throws {
        let row = "(SELECT max(rowid) FROM \(table))"
        let flipped: SQLValue
        switch try database.first("SELECT \(column) FROM \(table) WHERE rowid = \(row)")?[0] {
        case .integer(let number): flipped = .integer(number ^ 2)
        case .text(let text):
            flipped = .text(String(decoding: flip(Array(text.utf8)), as: UTF8.self))
        case .bytes(let bytes): flipped = .bytes(flip(bytes))
        default: throw BrokenLaw("\(table).\(column) has no value to change.")
        }
        try database.run("UPDATE \(table) SET \(column) = ? WHERE rowid = \(row)", flipped)
    }

    private static func flip(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[bytes.count - 1] ^= 2
        return bytes
    }

    @Test func `rows that are lost, doubled or another session's are found`() async throws {
        let place = try Place()
        for statement in [
            "DELETE FROM entry WHERE seq = 3",
            "UPDATE entry SET seq = 30 WHERE seq = 20; DELETE FROM entry WHERE seq = 21",
            "UPDATE entry SET seq = 90 WHERE seq = 3",
            "INSERT INTO entry SELECT 99, session, version, previous, at, flags, sum, print, "
                + "head, patch, sealed FROM entry WHERE seq = 20",
            "UPDATE entry SET session = 3 - session", "DELETE FROM snapshot",
            "UPDATE snapshot SET session = session + 2; "
                + "UPDATE snapshot SET session = 5 - session",
        ] {
            try? FileManager.default.removeItem(atPath: place.journal)
            let journal = try SQLiteJournal(directory: place.journal)
            var session = try await TestSession("a", in: journal)
            var other = try await TestSession("b", in: journal)
            for _ in 0..<10 {
                try await session.append()
                try await other.append()
            }
            try await session.append()
            await journal.close()
            let database = try Database(place.database)
            try database.write { try $0.execute(statement) }
            database.close()
            let isDoubled = statement.hasPrefix("INSERT")
            do {
                let found = try await version(of: session, in: place.journal)
                #expect(isDoubled && found == session.version, "\(statement)")
            } catch is JournalFailure {
                #expect(!isDoubled, "\(statement)")
            }
        }
    }

    @Test func `a wrong bit in a page is not served`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        var sessions: [TestSession] = []
        for id in ["a", "b", "c"] {
            var session = try await TestSession(id, in: journal)
            for _ in 0..<80 { try await session.append() }
            sessions.append(session)
        }
        await journal.close()
        let whole = try Data(contentsOf: URL(filePath: place.database))
        var random = SystemRandomNumberGenerator()
        var counts: [String: Int] = [:]
        // One byte of each page's header, and one behind it; and the count of its rows, lessened.
        for page in stride(from: 0, to: whole.count, by: 4_096) {
            let header = page + (page == 0 ? 100 : 0)
            for range in [
                header..<header + 8, header + 8..<page + 4_096, header + 4..<header + 5,
            ] {
                let position = Int.random(in: range, using: &random)
                var wrong = whole
                let bit: UInt8 = 1 << UInt8.random(in: 0..<8, using: &random)
                wrong[position] ^= range.count > 1 ? bit : whole[position] & (0 &- whole[position])
                try wrong.write(to: URL(filePath: place.database))
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: place.database + suffix)
                }
                let found = Result { try JournalDirectory(place.journal).check() }
                let told = (try? found.get()).map { Set($0.damaged.map(\.session)) }
                let isWhole = (try? found.get())?.pages.isEmpty ?? false
                for session in sessions {
                    do {
                        let found = try await version(of: session, in: place.journal)
                        counts[found == nil ? "absent" : "whole", default: 0] += 1
                        let isHidden = found == nil && !isWhole
                        #expect(found == session.version || isHidden, "A bit at \(position)")
                    } catch let error as BrokenLaw {
                        throw error
                    } catch {
                        counts["refused", default: 0] += 1
                        let isTold = told?.contains(session.name.description) ?? true
                        #expect(isTold || !isWhole, "A bit at \(position) is not told.")
                    }
                }
            }
        }
        print("Of wrong bits: \(counts)")
    }

    @Test(arguments: ["sqlite_autoindex_session_1", "session_alarm"])
    func `what a page of an index hides is found again at the next start`(index: String)
        async throws
    {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var sessions: [TestSession] = []
        for id in ["a", "b"] {
            var session = try await TestSession(id, in: journal)
            try await session.append(alarm: .at(TestSession.created))
            sessions.append(session)
        }
        await journal.close()
        // The number of its cells.
        try place.change(4, of: index) { $0 -= 1 }
        #expect(try !JournalDirectory(place.journal).check().pages.isEmpty)
        journal = try SQLiteJournal(directory: place.journal)
        for var session in sessions { try await session.reopen(in: journal) }
        let due = try await journal.alarms(until: TestSession.created, limit: 9).due
        #expect(due.count == 2)
        await journal.close()
        #expect(try JournalDirectory(place.journal).check().pages.isEmpty)
    }

    @Test func `a log without its database, and what is no journal, are left alone`() throws {
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: place.journal, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data([1]).write(to: URL(filePath: place.log))
        #expect(throws: JournalRefusal.self) { try SQLiteJournal(directory: place.journal) }
        #expect(!FileManager.default.fileExists(atPath: place.database))
        try Data().write(to: URL(filePath: place.database))
        #expect(throws: JournalRefusal.self) { try SQLiteJournal(directory: place.journal) }
        #expect(try Data(contentsOf: URL(filePath: place.log)) == Data([1]))
        try FileManager.default.removeItem(atPath: place.log)
        let foreign = try Database(place.database)
        try foreign.execute("CREATE TABLE other(id INTEGER)")
        foreign.close()
        let before = try Data(contentsOf: URL(filePath: place.database))
        #expect(throws: JournalRefusal.self) { try SQLiteJournal(directory: place.journal) }
        try Data("no database".utf8).write(to: URL(filePath: place.database))
        #expect(throws: JournalRefusal.self) { try SQLiteJournal(directory: place.journal) }
        try before.write(to: URL(filePath: place.database))
        #expect(throws: JournalRefusal.self) { try SQLiteJournal(directory: place.journal) }
        #expect(try Data(contentsOf: URL(filePath: place.database)) == before)
    }

    @Test func `another format, and a folder that others may read, are refused`() async throws {
        let place = try Place()
        try await SQLiteJournal(directory: place.journal).close()
        for (format, words) in [
            (9, "a newer build (format 9)"), (1, "an earlier build (format 1)"),
        ] {
            let database = try Database(place.database)
            try database.execute("PRAGMA user_version = \(format)")
            database.close()
            let before = try Data(contentsOf: URL(filePath: place.database))
            #expect {
                try SQLiteJournal(directory: place.journal)
            } throws: { error in
                "\(error)".contains("is of \(words)")
            }
            #expect(throws: JournalRefusal.self) { try JournalDirectory(place.journal).check() }
            #expect(try Data(contentsOf: URL(filePath: place.database)) == before)
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: place.journal)
        do {
            _ = try SQLiteJournal(directory: place.journal)
            Issue.record("It was opened.")
        } catch {
            #expect(error.description.contains("is open to others (mode 755)"))
        }
    }
}
