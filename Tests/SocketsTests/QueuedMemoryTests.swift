import Sockets
import Testing

@Suite(.serialized) struct `The memory of queues` {
    @Test func `is counted once for large shared bytes, as long as one queue holds them`() {
        let budget = MemoryBudget(limit: 1, loopCount: 1)
        let before = budget.used
        var frame: SharedBytes? = SharedBytes([UInt8](repeating: 0, count: 100_000))
        var queues = (0..<10).map { _ in WriteQueue() }
        for index in queues.indices { frame.map { queues[index].append($0) } }
        #expect(budget.used - before == 100_000)
        #expect(queues.allSatisfy { $0.uncountedByteCount == 0 })
        frame = nil
        queues.removeLast(9)
        #expect(budget.used - before == 100_000)
        queues.removeAll()
        #expect(budget.used == before)
    }

    @Test func `is counted by each queue for small bytes`() {
        let before = SharedBytes.largeByteCount
        let frame = SharedBytes([UInt8](repeating: 0, count: 100))
        let queue = WriteQueue()
        queue.append(frame)
        queue.append(frame, 10..<60)
        #expect(queue.uncountedByteCount == 150)
        #expect(frame.uncountedByteCount == 100)
        #expect(SharedBytes.largeByteCount == before)
    }
}
