import Testing

@testable import Redux

@Suite struct `The decided entries of a ledger` {
    private func entry(_ version: UInt64, isLast: Bool) -> PendingEntry<Int, Int> {
        PendingEntry(
            Entry(
                0, version: version, origin: .client, changed: true, by: nil,
                at: Timestamp(milliseconds: 0)),
            cause: nil, isLast: isLast, state: 0)
    }

    @Test(arguments: UInt64(1)...8)
    func `come and go as in a plain list`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        let entries = PendingEntries<Int, Int>()
        var plain: [PendingEntry<Int, Int>] = []
        var version: UInt64 = 0
        for _ in 0..<2_000 {
            let through = version - UInt64.random(in: 0...min(version, 3), using: &chance)
            switch Int.random(in: 0..<6, using: &chance) {
            case 0...2:
                version += 1
                let new = entry(version, isLast: Bool.random(using: &chance))
                entries.append(new)
                plain.append(new)
            case 3, 4:
                let isDue = plain.first.map { $0.version <= through } ?? false
                let expected = isDue ? plain.removeFirst() : nil
                #expect(entries.popFirst(through: through) === expected)
            default:
                let kept = plain.prefix { $0.version <= through }
                let dropped = entries.drop(behind: through)
                #expect(dropped.map(\.version) == plain.dropFirst(kept.count).map(\.version))
                plain = Array(kept)
                version = plain.last?.version ?? version
            }
            #expect(entries.list.map(\.version) == plain.map(\.version))
            #expect(entries.count == plain.count && entries.isEmpty == plain.isEmpty)
            #expect(entries.last === plain.last)
            let end = plain.first { $0.isLast }.map(\.version)
            #expect(entries.endOfGroup(through: version) == end)
            if let end { #expect(entries.endOfGroup(through: end - 1) == nil) }
        }
    }
}
