import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import Testing

/// What a process that has ended tells the next one of its sessions.
@Suite struct SuspectTests {
    @Test func `a session that has ended the process twice within a minute is opened frozen`()
        async throws
    {
        let place = try Place()
        var session: TestSession?
        // What a process leaves that ends in a reducer: its marks.
        for (second, isFrozen, isUnsafe) in [
            (0, false, false), (100, false, false), (200, false, false), (250, true, false),
            (260, false, false), (270, false, false), (280, false, true), (290, false, false),
        ] {
            var options = SQLiteJournal.Options()
            options.now = { _ in TestSession.created.milliseconds + Int64(second) * 1_000 }
            let journal = try SQLiteJournal(directory: place.journal, options: options)
            if session == nil { session = try await TestSession("a", in: journal) }
            let name = try #require(session?.name)
            let opened = try #require(try await journal.open(name, making: nil))
            #expect(opened.isFrozen == isFrozen && opened.isUnsafe == isUnsafe, "At \(second) s")
            try await session?.reopen(in: journal)
            if second >= 260 {
                if second < 280 { journal.reduces(opened.lease, to: 1, isDone: false, on: nil) }
            } else if isFrozen {
                try await session?.append()
                #expect(try await journal.open(name, making: nil)?.isFrozen == false)
            } else {
                // Another version each time is no trap of one action.
                journal.reduces(
                    opened.lease, to: second < 100 ? 5 : 1, isDone: false, on: 1)
                for isDone in [false, true] {
                    journal.reduces(Lease(session: 99, number: 1), to: 8, isDone: isDone, on: 2)
                }
            }
            await journal.close()
            try place.trap()
        }
    }

    @Test func `one of several readings at once that ends the process twice is found`() async throws
    {
        let place = try Place()
        for count in 0...2 {
            let journal = try SQLiteJournal(directory: place.journal)
            if count == 0 {
                var session = try await TestSession("a", in: journal)
                for _ in 0..<80 { try await session.append() }
            }
            let name = SessionName(mount: "/list", id: "a")
            // Of three in one slot, and one in another, the last two are under way.
            for (version, isDone) in [(3, true), (51, false), (5, false)] as [(UInt64, Bool)] {
                let document = try await journal.document(of: name, at: version)
                #expect(document.isUnsafe == (count == 2 && !isDone))
                journal.reads(document)
            }
            journal.reads(try await journal.document(of: name, at: 3), isDone: true)
            await journal.close()
            try place.trap()
        }
    }

    @Test
    func `a session at which the process was killed is opened, however often`()
        async throws
    {
        let place = try Place()
        for count in 0...4 {
            let journal = try SQLiteJournal(directory: place.journal)
            if count == 0 { _ = try await TestSession("a", in: journal) }
            let name = SessionName(mount: "/list", id: "a")
            let opened = try #require(try await journal.open(name, making: nil))
            #expect(!opened.isUnsafe, "After \(count) kills")
            journal.reduces(opened.lease, to: 0, isDone: false, on: nil)
            await journal.close()
        }
    }

    @Test(arguments: [(SIGILL, true), (SIGSEGV, true), (SIGABRT, true), (SIGKILL, false)])
    func `a trap is told from a kill, and ends the process`(
        _ signal: Int32, isTrap: Bool
    ) throws {
        let place = try Place()
        // Swift's own handler goes on behind a signal that was sent.
        let writer = try WriterProcess(
            place.journal, seed: 1, sessions: 1, steps: .max,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        _ = writer.lines(killedAfter: 10, by: signal)
        #expect(try place.isTrapped() == isTrap)
    }
}
