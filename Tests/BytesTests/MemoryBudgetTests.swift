import Bytes
import Testing

@Suite(.serialized) struct `A memory budget` {
    /// What other tests hold counts as well.
    private var others: Int { SharedBytes.largeByteCount }

    @Test func `is the sum of all parts of all loops`() {
        let budget = MemoryBudget(limit: others + 1_000, loopCount: 2)
        let before = budget.used
        budget.update(.input, of: 0, 500)
        budget.update(.output, of: 1, 300)
        budget.add(.sessions, of: 1, 150)
        #expect(budget.used - before == 950)
        #expect(budget.isTight)
        #expect(!budget.isExceeded)
        budget.add(.sessions, of: 1, 51)
        #expect(budget.isExceeded)
        budget.update(.input, of: 0, 0)
        budget.add(.sessions, of: 1, -201)
        #expect(budget.used - before == 300)
        #expect(!budget.isTight)
    }

    @Test func `is asked before something large is made`() {
        let budget = MemoryBudget(limit: others + 100_000, loopCount: 1)
        #expect(budget.hasRoom(for: 90_000) && !budget.hasRoom(for: 200_000))
        budget.add(.sessions, of: 0, 200_000)
        #expect(!budget.hasRoom(for: 20_000))
        // What is small is made whatever is held.
        #expect(budget.hasRoom(for: 1_000))
    }
}
