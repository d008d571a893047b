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
        for _ in 0..<4 {
            for index in sessions.indices {
                for count in [1, 2, 70] { try await sessions[index].append(count) }
            }
            await journal.close()
            journal = try await open()
            for index in sessions.indices { try await sessions[index].reopen(in: journal) }
            try expect(journal.hash.hash(of: [1, 2, 3]) == name, "Names change at a restart.")
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

    private func doAnything(_ journal: any Journal, seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        var sessions: [TestSession] = []
        for id in 0..<4 { sessions.append(try await TestSession("s\(id)", in: journal)) }
        var forgotten = [UInt64](repeating: 0, count: 4)
        for _ in 0..<300 {
            let index = Int.random(in: 0..<4, using: &random)
            let last = sessions[index].version
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await sessions[index].reopen()
            case 1:
                try await journal.keep(nil, of: sessions[index].lease, isAsleep: true)
                try await sessions[index].reopen()
            case 2 where last > forgotten[index]:
                let version = UInt64.random(in: forgotten[index]...last, using: &random)
                try await journal.forget(sessions[index].lease, through: version)
                forgotten[index] = sessions[index].states.keys.filter { $0 >= version }.min() ?? 0
            case 3...5:
                let version = UInt64.random(in: forgotten[index]...last, using: &random)
                let document = try await journal.document(
                    of: sessions[index].name, at: version)
                try sessions[index].check(document, at: version)
            case 6:
                let page = try await journal.entries(
                    of: sessions[index].name, after: forgotten[index],
                    limit: ReadLimit(entryCount: 10_000))
                let kept = sessions[index].entries.dropFirst(Int(forgotten[index]))
                try expect(page == kept.map(\.withoutSecrets), "A page is not the entries.")
            default:
                try await sessions[index].append(Int.random(in: 1...20, using: &random))
            }
        }
        for index in sessions.indices { try await sessions[index].reopen() }
    }
}
