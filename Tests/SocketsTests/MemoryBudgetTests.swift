import Testing

@testable import Sockets

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

    @Test func `counts large shared bytes once, as long as somebody holds them`() {
        let budget = MemoryBudget(limit: 1, loopCount: 1)
        let before = budget.used
        var frame: SharedBytes? = SharedBytes([UInt8](repeating: 0, count: 100_000))
        var queues = [WriteQueue](repeating: WriteQueue(), count: 10)
        for index in queues.indices { frame.map { queues[index].append($0) } }
        #expect(budget.used - before == 100_000)
        #expect(queues.allSatisfy { $0.uncountedByteCount == 0 })
        frame = nil
        queues.removeLast(9)
        #expect(budget.used - before == 100_000)
        queues.removeAll()
        #expect(budget.used == before)
    }

    @Test func `leaves small bytes to those that hold them`() {
        let before = others
        let frame = SharedBytes([UInt8](repeating: 0, count: 100))
        var queue = WriteQueue()
        queue.append(frame)
        queue.append(frame, 10..<60)
        #expect(queue.uncountedByteCount == 150)
        #expect(frame.uncountedByteCount == 100)
        #expect(others == before)
    }

    @Test(
        arguments: [
            ("max\n", nil), ("536870912\n", 536_870_912), ("9223372036854771712\n", nil), ("", nil),
            ("0\n", nil), ("-1\n", nil), ("1024", 1024),
        ] as [(String, Int?)])
    func `is given what a control group allows`(text: String, limit: Int?) {
        #expect(MachineMemory.limit(in: text) == limit)
    }

    @Test func `is given something on every machine`() {
        #expect(MachineMemory.byteCount > 1 << 20)
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
