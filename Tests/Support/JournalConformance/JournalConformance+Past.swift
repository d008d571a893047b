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

    /// What stands in an action nests 128 levels, which makes 130 in its entry's head.
    func readDeepActions(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for depth in 124...128 {
            try await session.append(meta: TestSession.nest(depth), starting: "pay")
            try await session.reopen()
        }
        for _ in 0..<70 { try await session.append() }
        try await session.reopen()
    }

    func revert(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for number in 1...70 { try await session.append(key: "key-\(number)") }
        let former = session
        // A journal need not be able to.
        guard try await session.revert(to: 66, "x1") else { return }
        try expect(session.state == session.states[66], "It is another state.")
        let late = former.submit(former.batch(of: 1, behind: 70))
        try expect(await former.outcome(late) == .stale, "Who had it has it still.")
        try await session.append()
        let before = try await journal.document(of: session.name, at: 69)
        try session.check(before, at: 69)
        let log = try await journal.entries(
            of: session.name, after: 69, limit: ReadLimit(entryCount: 9))
        try expect(
            log == session.entries[69...].map(\.withoutSecrets), "The log does not tell of it.")
        try await session.reopen()
    }
}
