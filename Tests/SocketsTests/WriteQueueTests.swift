@testable import Sockets
import FaultPlans
import Testing

@Suite struct WriteQueueTests {
    /// A connected pair: what the first side sends, the second receives.
    private struct Pair: ~Copyable {
        let sender: Descriptor
        let receiver: BlockingConnection

        init() throws {
            let listener = try Listener(host: "127.0.0.1", port: 0)
            let client = try BlockingConnection(port: listener.port)
            sender = try Self.accept(from: listener)
            receiver = client
        }

        private static func accept(from listener: Listener) throws -> Descriptor {
            guard case .accepted(let descriptor, _) = listener.accept(SystemCalls()) else {
                throw SystemError(.accept, .wouldBlock)
            }
            return descriptor
        }
    }

    private func bytes(_ count: Int, from first: Int = 0) -> [UInt8] {
        (first..<first + count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 128, 200])
    func `any number of items arrives joined and in order`(count: Int) throws {
        let pair = try Pair()
        let queue = WriteQueue()
        var expected: [UInt8] = []
        for number in 0..<count {
            let item = bytes(number % 5 * 10 + 1, from: number)
            expected += item
            if number.isMultiple(of: 3) {
                queue.append(copying: item.span)
            } else {
                queue.append(SharedBytes(item))
            }
        }
        #expect(queue.byteCount == expected.count)
        let plan = FaultPlan { _, _ in nil }
        #expect(queue.flush(to: pair.sender, SystemCalls(faults: plan.next)) == .drained)
        #expect(queue.isEmpty)
        let total = expected.count
        #expect(try pair.receiver.receive { $0.count >= total } == expected)
        let calls = plan.count(of: .send) + plan.count(of: .sendGathered)
        #expect(calls <= (count + 63) / 64)
    }

    @Test(arguments: [1, 2, 7, 100])
    func `short writes lose and double nothing`(limit: Int) throws {
        let pair = try Pair()
        let system = SystemCalls(faults: { _ in .short(limit) })
        let queue = WriteQueue()
        var expected: [UInt8] = []
        for number in 0..<10 {
            let item = bytes(number * 9, from: number)
            expected += item
            queue.append(SharedBytes(item))
        }
        var rounds = 0
        while queue.flush(to: pair.sender, system) == .blocked { rounds += 1 }
        #expect(rounds >= expected.count / limit / 2)
        let total = expected.count
        #expect(try pair.receiver.receive { $0.count >= total } == expected)
    }

    @Test func `a full socket blocks, and the rest follows when there is room`() throws {
        let pair = try Pair()
        let queue = WriteQueue()
        let frame = SharedBytes(bytes(100_000))
        var sent: [UInt8] = []
        var result = FlushResult.drained
        while result == .drained {
            queue.append(frame)
            sent += frame.bytes
            result = queue.flush(to: pair.sender, SystemCalls())
        }
        #expect(!queue.isEmpty)
        #expect(queue.byteCount <= frame.count)
        queue.append(copying: [1, 2, 3].span)
        sent += [1, 2, 3]
        var received: [UInt8] = []
        while received.count < sent.count {
            received += try pair.receiver.receive()
            guard case .failed = queue.flush(to: pair.sender, SystemCalls()) else { continue }
            Issue.record("the connection failed")
        }
        #expect(received == sent)
    }

    @Test func `what is sent directly goes behind what waits`() throws {
        let pair = try Pair()
        let queue = WriteQueue()
        queue.append(SharedBytes([1]))
        #expect(queue.send(copying: [2, 3].span, to: pair.sender, SystemCalls()) == .drained)
        queue.append(copying: [4].span)
        #expect(queue.send(copying: [5].span, to: pair.sender, SystemCalls()) == .drained)
        #expect(try pair.receiver.receive { $0.count >= 5 } == [1, 2, 3, 4, 5])
    }

    @Test func `a lost connection is told and keeps what waits`() throws {
        let pair = try Pair()
        let system = SystemCalls(
            faults: { _ in .failure(.brokenPipe) })
        let queue = WriteQueue()
        queue.append(SharedBytes([1, 2]))
        #expect(queue.flush(to: pair.sender, system) == .failed(.brokenPipe))
        #expect(queue.byteCount == 2)
        queue.removeAll()
        #expect(queue.isEmpty)
    }

    @Test func `copied bytes join the copies before them, never a shared frame`() throws {
        let frame = SharedBytes(copying: [9, 9].span)
        let queue = WriteQueue()
        queue.append(frame)
        queue.append(copying: [1].span)
        queue.append(copying: [2].span)
        queue.append(frame)
        let nothing: [UInt8] = []
        queue.append(copying: nothing.span)
        #expect(queue.byteCount == 6)
        #expect(frame.bytes == [9, 9])
        let pair = try Pair()
        let plan = FaultPlan { _, _ in nil }
        #expect(queue.flush(to: pair.sender, SystemCalls(faults: plan.next)) == .drained)
        #expect(plan.count(of: .sendGathered) == 1)
        #expect(try pair.receiver.receive { $0.count >= 6 } == [9, 9, 1, 2, 9, 9])
    }

    @Test(arguments: [1, 2, 3, 100])
    func `a part of a frame is sent as it is, alone and among others`(limit: Int) throws {
        let pair = try Pair()
        let system = SystemCalls(faults: { _ in .short(limit) })
        let frame = SharedBytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        let queue = WriteQueue()
        for range in [3..<7, 0..<0, 0..<10, 9..<10] { queue.append(frame, range) }
        #expect(queue.byteCount == 15)
        while queue.flush(to: pair.sender, system) == .blocked {}
        let expected: [UInt8] = [3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
        #expect(try pair.receiver.receive { $0.count >= 15 } == expected)
    }
}
