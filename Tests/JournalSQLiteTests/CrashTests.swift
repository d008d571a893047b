import Bytes
import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import SQLite
import Testing

@Suite(.serialized) struct CrashTests {
    /// `JOURNAL_ROUNDS=200` for a night's run, and `JOURNAL_SEED` to repeat one.
    private static let rounds =
        ProcessInfo.processInfo.environment["JOURNAL_ROUNDS"].flatMap { Int($0) } ?? 6
    private static let seed =
        ProcessInfo.processInfo.environment["JOURNAL_SEED"].flatMap { UInt64($0) }

    /// What the writer is about when it is killed.
    enum Moment: CaseIterable { case anything, trimming, settling }

    @Test(arguments: Moment.allCases)
    func `all that was acknowledged is there when its writer was killed`(at moment: Moment)
        async throws
    {
        var seed = Self.seed ?? UInt64.random(in: 0..<1 << 32)
        print("Seeds from \(seed)")
        var place = try Place()
        var ledger = Ledger()
        var (kept, refused, trimmed) = (0, 0, 0)
        for round in 1...Self.rounds {
            seed += 1
            var random = SplitMix(seed: seed)
            let writer = try WriterProcess(
                place.journal, seed: seed, steps: .max,
                environment: environment(of: moment, in: place, &random))
            // Once surely behind its first commits.
            let least = round == Self.rounds ? 15_000 : 1
            ledger.read(writer.lines(killedAfter: Int.random(in: least...30_000, using: &random)))
            do {
                let journal = try SQLiteJournal(directory: place.journal)
                try await ledger.check(journal, isTrimmed: moment == .trimming)
                await journal.close()
            } catch {
                throw BrokenLaw("Seed \(seed): \(error)")
            }
            guard round % 20 == 0 || round == Self.rounds else { continue }
            kept += ledger.keptCount
            refused += ledger.refusedCount
            trimmed += ledger.trimmedCount
            (place, ledger) = (try Place(), Ledger())
        }
        print("\(Self.rounds) rounds, \(kept) entries kept, \(refused) refused, \(trimmed) trimmed")
        #expect((trimmed > 0) == (moment == .trimming))
    }

    private func environment(
        of moment: Moment, in place: Place, _ random: inout SplitMix
    ) -> [String: String] {
        switch moment {
        case .anything: [:]
        // Its entries are days old.
        case .trimming: ["JOURNAL_KEPT": "1"]
        // One of some commits fails, and is settled by a write.
        case .settling:
            [
                "LD_PRELOAD": WriterProcess.faults, "FAULT_FOLDER": place.journal,
                "FAULT_CALL": "fdatasync", "FAULT_AT": "\(Int.random(in: 2...9, using: &random))",
                "FAULT_ERRNO": "5",
            ]
        }
    }

    @Test func `of a session that was erased no byte is left`() async throws {
        let place = try Place()
        var ledger = Ledger()
        for seed in UInt64(1)...3 {
            let writer = try WriterProcess(place.journal, seed: seed, steps: .max)
            ledger.read(writer.lines(killedAfter: 60_000))
        }
        let journal = try SQLiteJournal(directory: place.journal)
        try await ledger.check(journal)
        await journal.close()
        // What was pending goes on at each start; a stop finishes it.
        try #require(!ledger.erased.isEmpty)
        for file in try FileManager.default.contentsOfDirectory(atPath: place.journal) {
            let bytes = try Data(contentsOf: URL(filePath: "\(place.journal)/\(file)"))
            for id in ledger.erased {
                #expect(bytes.range(of: Data("planted-\(id)".utf8)) == nil, "\(id) in \(file)")
            }
        }
    }

    @Test func `two processes do not have one folder`() async throws {
        let place = try Place()
        let journal = try SQLiteJournal(directory: place.journal)
        let second = try WriterProcess(place.journal, seed: 1, steps: 1)
        let lines = second.lines()
        #expect(lines.count == 1)
        #expect(lines.first?.contains("is in use by process \(getpid()).") == true)
        await journal.close()
        let third = try WriterProcess(place.journal, seed: 1, steps: 1)
        #expect(third.lines().last == "closed")
    }

    @Test func `a process that was stopped while another took its folder appends nothing more`()
        async throws
    {
        let place = try Place()
        let older = try WriterProcess(place.journal, seed: 7, sessions: 1, steps: .max)
        while place.logByteCount() < 100_000 { await Task.yield() }
        let journal = try await stop(older, in: place)
        let name = SessionName(mount: "/list", id: "s0")
        let taken = try await journal.open(name, making: nil)?.document
        older.send(SIGCONT)
        var ledger = Ledger()
        ledger.read(older.lines(killedAfter: "heldElsewhere"))
        try await ledger.check(journal)
        #expect(try await journal.open(name, making: nil)?.document == taken)
        #expect(ledger.keptCount > 0)
        await journal.close()
    }

    /// Stops a process that has a journal, not within a transaction, and opens that as where locks do not
    /// work.
    private func stop(_ older: WriterProcess, in place: Place) async throws -> SQLiteJournal {
        let database = try Database(place.database)
        defer { database.close() }
        while true {
            try await ContinuousClock().sleep(for: .milliseconds(.random(in: 1...9)))
            older.send(SIGSTOP)
            do {
                try database.execute("BEGIN IMMEDIATE; ROLLBACK")
                try FileManager.default.removeItem(atPath: "\(place.journal)/journal.lock")
                return try SQLiteJournal(directory: place.journal)
            } catch {
                older.send(SIGCONT)
            }
        }
    }
}
