import Bytes
import Journaling
import Redux

/// The laws about the journal as a whole.
extension JournalConformance {
    func refuseClosed(_ journal: any Journal) async throws {
        guard journal.mode == .durable else { return }
        let session = try await TestSession("a", in: journal)
        await journal.close()
        let late = session.submit(session.batch(of: 1, behind: 0))
        try expect(late.outcome == .refused(.unavailable), "A closed journal takes entries.")
    }

    func restart(_ journal: any Journal) async throws {
        guard journal.mode == .durable else { return await journal.close() }
        var journal = journal
        var sessions: [TestSession] = []
        for id in ["a", "b", "c"] { sessions.append(try await TestSession(id, in: journal)) }
        let name = journal.hash.hash(of: [1, 2, 3])
        for round in 0..<4 {
            for index in sessions.indices {
                try await sessions[index].append(alarm: .at(TestSession.created))
                for count in [2, 70] { try await sessions[index].append(count) }
                // Last, all of it.
                try await journal.forget(
                    sessions[index].lease,
                    through: sessions[index].version - (round < 3 ? 71 : 0))
            }
            await journal.close()
            journal = try await open()
            for index in sessions.indices { try await sessions[index].reopen(in: journal) }
            try expect(journal.hash.hash(of: [1, 2, 3]) == name, "Names change at a restart.")
            let due = try await journal.alarms(until: TestSession.created, limit: 9).due
            try expect(due.count == 3, "Of 3 alarms behind what is forgotten \(due.count) are due.")
            let listed = try await journal.sessions(after: nil, limit: 9)
            try expect(
                listed.map(\.lastTime) == sessions.map { $0.entries.last?.at },
                "A session's last time is lost.")
        }
        await journal.close()
    }

    func doAnything(_ journal: any Journal) async throws {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0 ... .max, using: &random)
        do {
            try await doAnything(journal, seed: seed)
        } catch {
            throw BrokenLaw("Seed \(seed): \(error)")
        }
    }

    private func doAnything(_ first: any Journal, seed: UInt64) async throws {
        var (journal, random) = (first, SplitMix(seed: seed))
        var (sessions, forgotten, count) = ([TestSession](), [UInt64](repeating: 0, count: 4), 0)
        func make() async throws -> TestSession {
            count += 1
            return try await TestSession("s\(count)", in: journal, since: TestSession.now)
        }
        for _ in forgotten { sessions.append(try await make()) }
        for step in 0..<300 {
            let index = Int.random(in: 0..<4, using: &random)
            let (name, last) = (sessions[index].name, sessions[index].version)
            let version = UInt64.random(in: forgotten[index]...last, using: &random)
            switch Int.random(in: 0..<32, using: &random) {
            case 0: try await sessions[index].reopen()
            case 1:
                try await journal.keep(nil, of: sessions[index].lease, isAsleep: true)
                try await sessions[index].reopen()
            case 2:
                let isAsleep = Bool.random(using: &random)
                try await sessions[index].keep(UInt8(step % 256), isAsleep: isAsleep)
                if isAsleep { try await sessions[index].reopen() }
            case 3 where version > forgotten[index]:
                try await journal.forget(sessions[index].lease, through: version)
                forgotten[index] = sessions[index].states.keys.filter { $0 >= version }.min() ?? 0
                let oldest = forgotten[index]
                try await expect(.compacted(oldest: oldest)) { () throws(JournalFailure) in
                    try await journal.document(of: name, at: oldest - 1)
                }
            case 4: _ = try await sessions[index].revert(to: version, "x\(step)")
            case 5 where step % 3 == 0:
                try await journal.erase(name)
                try await expect(.ended) { () throws(JournalFailure) in
                    try await journal.open(name, making: TestSession.new)
                }
                (sessions[index], forgotten[index]) = (try await make(), 0)
            case 6 where journal.mode == .durable && step % 3 == 1:
                await journal.close()
                journal = try await open()
                for index in sessions.indices { try await sessions[index].reopen(in: journal) }
            case 7...9:
                let document = try await journal.document(of: name, at: version)
                try sessions[index].check(document, at: version)
            case 10:
                let page = try await journal.entries(
                    of: name, after: forgotten[index], limit: ReadLimit(entryCount: 10_000))
                let kept = sessions[index].entries.dropFirst(Int(forgotten[index]))
                try expect(page == kept.map(\.withoutSecrets), "A page is not the entries.")
            default:
                let kind = Int.random(in: 0..<20, using: &random)
                try await sessions[index].append(
                    Int.random(in: 1...20, using: &random), key: kind < 5 ? "\(step)" : nil,
                    schema: kind == 19 ? step + 2 : nil, isSecret: (8..<10).contains(kind),
                    isStated: kind.isMultiple(of: 3))
            }
        }
        for index in sessions.indices { try await sessions[index].reopen() }
        await journal.close()
    }
}
