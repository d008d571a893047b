import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Testing

/// System calls that fail below SQLite, in a process of its own: a library is preloaded into it.
@Suite(.serialized) struct FaultTests {
    /// A way for a call to fail; `code` 0 stands for a write of half of the bytes.
    struct Fault: Sendable, CustomTestStringConvertible {
        let call: String
        let code: Int
        var lasting = 0

        var testDescription: String { "\(call) with \(code), \(lasting + 1) times" }
    }

    static let faults = [
        Fault(call: "pwrite", code: 5), Fault(call: "pwrite", code: 28),
        Fault(call: "pwrite", code: 122), Fault(call: "pwrite", code: 0),
        Fault(call: "pwrite", code: 28, lasting: 12), Fault(call: "fdatasync", code: 5),
        Fault(call: "fdatasync", code: 5, lasting: 3), Fault(call: "fdatasync", code: 28),
        Fault(call: "pread", code: 5),
        Fault(call: "open", code: 5), Fault(call: "open", code: 28),
        Fault(call: "ftruncate", code: 5), Fault(call: "ftruncate", code: 28),
    ]

    /// `JOURNAL_FAULTS=1`: each call until none fails; otherwise the first, and some.
    private static let isThorough =
        ProcessInfo.processInfo.environment["JOURNAL_FAULTS"] == "1"

    @Test(arguments: faults)
    func `nothing acknowledged is lost where a system call fails`(fault: Fault) async throws {
        var number = 1
        var random = SystemRandomNumberGenerator()
        while true {
            let hasFailed = try await run(fault, at: number)
            guard hasFailed else { break }
            number +=
                Self.isThorough ? 1 : number < 3 ? 1 : Int.random(in: 5...100, using: &random)
        }
    }

    /// - Returns: false where there were not so many calls.
    private func run(_ fault: Fault, at number: Int) async throws -> Bool {
        let place = try Place()
        let counts = "\(place.path)/counts"
        let writer = try WriterProcess(
            place.journal, seed: UInt64(number), sessions: 3, steps: 12,
            environment: [
                "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                "FAULT_CALL": fault.call, "FAULT_AT": "\(number)", "FAULT_ERRNO": "\(fault.code)",
                "FAULT_LASTING": "\(fault.lasting)", "FAULT_COUNTS": counts,
            ])
        var ledger = Ledger()
        let lines = writer.lines()
        ledger.read(lines)
        do {
            let journal = try SQLiteJournal(directory: place.journal)
            try await ledger.check(journal)
            await journal.close()
        } catch {
            throw BrokenLaw("\(fault.call) \(number) of \(fault.code): \(error)")
        }
        return (try Self.counts(at: counts)[fault.call] ?? 0) >= number
    }

    private static func counts(at path: String) throws -> [String: Int] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n").reduce(into: [:]) { counts, line in
            let words = line.split(separator: " ")
            counts[String(words[0])] = Int(words[1])
        }
    }

    @Test func `each commit is synced`() throws {
        let place = try Place()
        let counts = "\(place.path)/counts"
        let writer = try WriterProcess(
            place.journal, seed: 7, sessions: 1, steps: 80,
            environment: [
                "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                "FAULT_COUNTS": counts,
            ])
        var ledger = Ledger()
        ledger.read(writer.lines())
        // A step hands over twelve entries at most before it waits.
        let syncs = try Self.counts(at: counts)["fdatasync"] ?? 0
        #expect(syncs >= ledger.keptCount / 12)
        #expect(ledger.keptCount > 200)
        #expect(try place.reserveByteCount() == 16 << 20)
    }

    @Test func `a disk that hangs while nobody waits is told of as well`() throws {
        let place = try Place()
        // The log is emptied once it is known that nothing is to be erased.
        let writer = try WriterProcess(
            place.journal, seed: 1, sessions: 0, steps: 50,
            environment: [
                "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.log,
                "FAULT_CALL": "ftruncate", "FAULT_AT": "1", "FAULT_ERRNO": "-1",
            ])
        #expect(writer.lines(killedAfter: "started.hangs.".count) == ["started", "hangs"])
    }

    @Test func `a read that fails while the journal is opened costs no alarm`() async throws {
        let place = try Place()
        var journal = try SQLiteJournal(directory: place.journal)
        var session = try await TestSession("a", in: journal)
        try await session.append(alarm: .at(TestSession.created))
        await journal.close()
        journal = try SQLiteJournal(directory: place.journal)
        try await session.reopen(in: journal)
        try await session.append()
        // As a crash leaves it: the session's row is behind its entries.
        let left = "\(place.path)/left"
        try FileManager.default.copyItem(atPath: place.journal, toPath: left)
        await journal.close()
        let (copy, counts) = ("\(place.path)/copy", "\(place.path)/counts")
        var (number, callCount) = (0, 0)
        while callCount >= number {
            number += 1
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: left, toPath: copy)
            _ = try WriterProcess(
                copy, seed: 1, sessions: 0, steps: 0,
                environment: [
                    "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": copy,
                    "FAULT_CALL": "pread", "FAULT_AT": "\(number)", "FAULT_ERRNO": "5",
                    "FAULT_COUNTS": counts,
                ]
            ).lines()
            callCount = try Self.counts(at: counts)["pread"] ?? 0
            let opened = try SQLiteJournal(directory: copy)
            let alarms = try await opened.alarms(until: TestSession.created, limit: 9)
            #expect(alarms.due == [session.name], "Where read \(number) fails.")
            await opened.close()
        }
        #expect(number > 5)
    }

    @Test func `a full disk refuses, and goes on by itself`() async throws {
        let place = try Place()
        let writer = try WriterProcess(
            place.journal, seed: 3, sessions: 3, steps: 200,
            environment: [
                "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                "FAULT_CALL": "pwrite", "FAULT_AT": "60", "FAULT_ERRNO": "28",
                "FAULT_LASTING": "50",
            ])
        var ledger = Ledger()
        let lines = writer.lines()
        ledger.read(lines)
        #expect(ledger.refusedCount > 0)
        #expect(ledger.unknownCount == 0)
        let lastRefusal = lines.lastIndex { $0.hasPrefix("refused") } ?? 0
        #expect(lines.dropFirst(lastRefusal).contains { $0.hasPrefix("kept") })
        #expect(try place.reserveByteCount() == nil, "It is given up for a minute.")
        let journal = try SQLiteJournal(directory: place.journal)
        #expect(try place.reserveByteCount() == 16 << 20)
        await journal.close()
    }

    @Test func `a journal on a disk that may only be read is not opened, and says so`() throws {
        let place = try Place()
        let lines = try (1...3).flatMap { number in
            try WriterProcess(
                place.journal, seed: 1, sessions: 0, steps: 0,
                environment: [
                    "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                    "FAULT_CALL": "open", "FAULT_AT": "\(number)", "FAULT_ERRNO": "\(EROFS)",
                    "FAULT_LASTING": "99",
                ]
            ).lines()
        }
        let refusals = lines.filter { $0.hasPrefix("refused-start") }
        #expect(refusals.count == 3 && refusals.allSatisfy { $0.contains(place.journal) })
        #expect(refusals[0].contains("Read-only file system"))
    }

    @Test func `a folder of another user is not taken`() throws {
        let place = try Place()
        // Who is not root finds one at the root.
        let folder = geteuid() == 0 ? place.path : "/"
        if geteuid() == 0 { _ = unsafe chown(folder, 65_534, 65_534) }
        let owner = geteuid() == 0 ? 65_534 : 0
        do {
            _ = try SQLiteJournal(directory: folder)
            Issue.record("It was opened.")
        } catch {
            let words = "\(folder) belongs to user \(owner), and the server is user \(geteuid())."
            #expect(error.description == words)
        }
    }

    @Test func `a disk that does not sync leaves the outcome open, and goes on by itself`() throws {
        var ledger = Ledger()
        // Which sync stands between a commit and its answer depends on how entries have come together.
        for number in stride(from: 40, to: 90, by: 5) where ledger.unknownCount == 0 {
            let place = try Place()
            let writer = try WriterProcess(
                place.journal, seed: 3, sessions: 3, steps: 80,
                environment: [
                    "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                    "FAULT_CALL": "fdatasync", "FAULT_AT": "\(number)", "FAULT_ERRNO": "5",
                    // The write that would settle it fails, too.
                    "FAULT_LASTING": "1",
                ])
            let lines = writer.lines()
            ledger.read(lines)
            let unknown = lines.lastIndex { $0.hasPrefix("unknown") } ?? 0
            #expect(lines.dropFirst(unknown).contains { $0.hasPrefix("kept") })
        }
        #expect(ledger.unknownCount > 0)
    }
}
