import Accounting
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
}

@Suite struct `A sliced round` {
    @Test(arguments: [0, 1, 15, 16, 17, 1_000])
    func `visits each thing once`(count: Int) {
        var round = SlicedRound()
        var visits = [Int](repeating: 0, count: count)
        repeat {
            let slice = round.slice(of: count)
            for index in slice { visits[index] += 1 }
            round.visited(slice.count)
        } while !round.hasEnded
        #expect(visits.allSatisfy { $0 == 1 })
        #expect(round.sum == count)
    }

    @Test func `has the sum of the latest visits`() {
        var round = SlicedRound()
        for _ in 0..<SlicedRound.sliceCount { round.visited(2) }
        #expect(round.sum == 2 * SlicedRound.sliceCount)
        round.visited(5)
        #expect(round.sum == 2 * SlicedRound.sliceCount + 3)
    }
}
