import Journaling
import Redux

/// The laws about what is made of a session's past.
extension JournalConformance {
    /// What entries say of works adds to what was kept of them, over snapshots.
    func readNews(_ journal: any Journal) async throws {
        var session = try await TestSession("b", in: journal)
        func append(_ members: String) async throws {
            var entry = session.batch(of: 1, behind: session.version)
            entry[0].head = Array("{\(members),\"origin\":\"effect\"}".utf8)
            try expect(
                await session.outcome(session.submit(entry)) == .kept, "An entry is not kept.")
            session.note(entry)
        }
        func records() async throws -> [String] {
            let opened = try await journal.open(session.name, making: nil)
            try await session.reopen()
            return try KeptWork.records(of: opened?.work, epoch: TestSession.epoch).map {
                "\($0.name) \($0.token)\($0.hasEnded ? " done" : "")"
            }.sorted()
        }
        let others = " \(TestSession.epoch)-0"
        try expect(try await records() == [others], "Works do not begin with their session.")
        try await append(#""starts":["pay","ship"],"ends":[]"#)
        for _ in 0..<70 { try await session.append() }
        try await append(#""starts":["ship"],"ends":["ask"],"done":"pay""#)
        for _ in 0..<70 { try await session.append() }
        try await append(#""starts":[],"ends":[],"done":"count""#)
        let found = try await records()
        let epoch = TestSession.epoch
        try expect(
            found == [others, "count \(epoch)-0 done", "pay \(epoch)-1 done", "ship \(epoch)-72"],
            "The works are \(found).")
    }

    func revert(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for number in 1...70 { try await session.append(key: "key-\(number)") }
        let entry = EncodedEntry(
            version: 0, at: TestSession.created,
            head: Array(#"{"epoch":"x1","origin":"inspector","kind":"reverted"}"#.utf8), patch: nil)
        do throws(JournalFailure) {
            try await journal.revert(session.name, to: 66, by: entry, epoch: "x1")
        } catch {
            // A journal need not be able to.
            return try expect(error == .compacted(oldest: nil), "It fails with \(error).")
        }
        let late = session.submit(session.batch(of: 1, behind: 70))
        try expect(await session.outcome(late) == .stale, "Who had it has it still.")
        let opened = try await journal.open(session.name, making: nil)
        let document = opened?.document
        try expect(
            opened?.epoch == "x1" && document?.version == 71 && document?.lastChange == 71
                && document?.json == session.states[66],
            "It is \(document.map { "\($0)" } ?? "gone").")
        try expect(document?.lastTime == session.entries.last?.at, "Time goes back.")
        guard let lease = opened?.lease else { return }
        let next = session.submit(session.batch(of: 1, behind: 71), by: lease)
        try expect(await session.outcome(next) == .kept, "It does not go on.")
        let former = try await journal.document(of: session.name, at: 69)
        try expect(former.json == session.states[69], "What was before is gone.")
        let log = try await journal.entries(
            of: session.name, after: 69, limit: ReadLimit(entryCount: 9))
        try expect(
            log.map(\.version) == [70, 71, 72] && log[1].head == entry.head
                && log[1].patch == document.map { EncodedEntry.replacement(by: $0.json) },
            "The log does not tell of it.")
        let keys = try await journal.keys(of: lease, since: TestSession.created)
        try expect(keys.count == 70, "Of its keys \(keys.count) are left.")
    }
}
