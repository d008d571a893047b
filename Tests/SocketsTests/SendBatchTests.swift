@testable import Sockets
import FaultPlans
import Testing

/// Whether this kernel has io_uring, and lets us use it.
private let hasRing = (try? TransferRing(SystemCalls())) != nil

@Suite struct SendBatchTests {
    /// A connected pair with what waits for the receiver.
    private final class Stream {
        let sender: Descriptor
        let queue = WriteQueue()
        var receiver: BlockingConnection?

        init(_ bytes: [UInt8] = []) throws {
            let listener = try Listener(host: "127.0.0.1", port: 0)
            receiver = try BlockingConnection(port: listener.port)
            guard case .accepted(let descriptor, _) = listener.accept(SystemCalls()) else {
                throw SystemError(.accept, .wouldBlock)
            }
            sender = descriptor
            if !bytes.isEmpty { queue.append(SharedBytes(bytes)) }
        }

        func isAdded(to batch: inout SendBatch) -> Bool {
            batch.add(queue, to: sender) != nil
        }
    }

    /// Sends what waits in all streams, and takes the results over.
    private func send(
        _ streams: [Stream], through ring: TransferRing, _ system: SystemCalls = SystemCalls()
    ) -> [IOResult?] {
        var batch = SendBatch()
        for stream in streams {
            let isAdded = stream.isAdded(to: &batch)
            #expect(isAdded)
        }
        let failure = batch.send(through: ring, system)
        #expect(failure == 0)
        return streams.indices.map { position in
            let result = batch.result(at: position)
            if case .bytes(let count) = result { streams[position].queue.removeSent(count) }
            return result
        }
    }

    @Test(.enabled(if: hasRing), arguments: [1, 2, 100])
    func `of a part of a frame no other byte is sent`(limit: Int) throws {
        let ring = try TransferRing(SystemCalls())
        let plan = FaultPlan { call, _ in call == .send ? .short(limit) : nil }
        let stream = try Stream()
        stream.queue.append(SharedBytes([0, 1, 2, 3, 4, 5]), 2..<5)
        while !stream.queue.isEmpty {
            _ = send([stream], through: ring, SystemCalls(faults: plan.next))
        }
        #expect(try stream.receiver?.receive { $0.count >= 3 } == [2, 3, 4])
    }

    @Test(.enabled(if: hasRing))
    func `each socket gets its own bytes, in the order of the batches`() throws {
        let ring = try TransferRing(SystemCalls())
        let streams = try (0..<3).map { _ in try Stream() }
        var expected: [[UInt8]] = [[], [], []]
        for round in 0..<1_000 {
            for (number, stream) in streams.enumerated() {
                let bytes = [UInt8](
                    repeating: UInt8(truncatingIfNeeded: round &* 3 &+ number), count: number + 1)
                expected[number] += bytes
                stream.queue.append(SharedBytes(bytes))
            }
            #expect(send(streams, through: ring) == [.bytes(1), .bytes(2), .bytes(3)])
        }
        for (stream, expected) in zip(streams, expected) {
            #expect(stream.queue.isEmpty)
            #expect(try stream.receiver?.receive { $0.count >= expected.count } == expected)
        }
    }

    @Test(.enabled(if: hasRing))
    func `a batch keeps the bytes of its sends, also those that several have in common`() throws {
        let ring = try TransferRing(SystemCalls())
        let numbers: [UInt8] = [1, 1, 2, 1, 2, 2, 1]
        let streams = try numbers.map { _ in try Stream() }
        var batch = SendBatch()
        do {
            let frames = (0...2).map { SharedBytes([UInt8](repeating: $0, count: 500)) }
            for (number, stream) in zip(numbers, streams) {
                stream.queue.append(frames[Int(number)])
                let isAdded = stream.isAdded(to: &batch)
                #expect(isAdded)
                stream.queue.removeAll()
            }
        }
        // Storage of that size that was let go of would be used again.
        let others = (0..<100).map { _ in [UInt8](repeating: 9, count: 500) }
        #expect(batch.count == numbers.count)
        #expect(batch.send(through: ring, SystemCalls()) == 0)
        for (number, stream) in zip(numbers, streams) {
            let expected = [UInt8](repeating: number, count: 500)
            #expect(try stream.receiver?.receive { $0.count >= 500 } == expected)
        }
        #expect(others.count == 100)
    }

    @Test(
        .enabled(if: hasRing),
        arguments: [
            (Fault.failure(.wouldBlock), IOResult.wouldBlock, 4), (.short(1), .bytes(1), 3),
            (.short(3), .bytes(3), 1), (.failure(.interrupted), .bytes(4), 0),
            (.failure(.connectionReset), .failed(.connectionReset), 4),
            (.failure(.brokenPipe), .failed(.brokenPipe), 4),
        ])
    func `a fault of one send is that one's alone`(
        fault: Fault, result: IOResult, left: Int
    ) throws {
        let ring = try TransferRing(SystemCalls())
        for faulty in 0..<3 {
            let streams = try (0..<3).map { try Stream([UInt8](repeating: $0, count: 4)) }
            let system = SystemCalls(faults: FaultPlan(fault, at: faulty + 1, of: .send).next)
            var expected: [IOResult?] = [.bytes(4), .bytes(4), .bytes(4)]
            expected[faulty] = result
            #expect(send(streams, through: ring, system) == expected)
            for (number, stream) in streams.enumerated() {
                #expect(stream.queue.byteCount == (number == faulty ? left : 0))
                #expect(stream.queue.flush(to: stream.sender, SystemCalls()) == .drained)
                #expect(
                    try stream.receiver?.receive { $0.count >= 4 }
                        == [UInt8](repeating: UInt8(number), count: 4))
            }
        }
    }

    @Test(.enabled(if: hasRing))
    func `a full socket takes a part, then nothing, and others are sent to`() throws {
        let ring = try TransferRing(SystemCalls())
        let frame = [UInt8](repeating: 7, count: 300_000)
        let full = try Stream()
        let other = try Stream()
        var sent = 0
        var partCount = 0
        while true {
            if full.queue.isEmpty { full.queue.append(SharedBytes(frame)) }
            other.queue.append(SharedBytes([1]))
            let results = send([full, other], through: ring)
            #expect(results[1] == .bytes(1))
            // The kernel may take one more part after a part: it makes room as it sees fit.
            guard case .bytes(let count) = results[0] else {
                #expect(results[0] == .wouldBlock)
                break
            }
            sent += count
            if !full.queue.isEmpty { partCount += 1 }
        }
        #expect(partCount > 0)
        var received = 0
        while received < sent { received += try full.receiver?.receive().count ?? 0 }
        #expect(received == sent)
        guard case .bytes = send([full], through: ring)[0] else {
            Issue.record("there is room again")
            return
        }
    }

    @Test(.enabled(if: hasRing))
    func `a peer that has gone fails its send, and no signal is raised`() throws {
        let ring = try TransferRing(SystemCalls())
        let (gone, other) = (try Stream(), try Stream())
        gone.receiver = nil
        var failure: IOResult?
        for _ in 0..<1_000 {
            for stream in [gone, other] {
                stream.queue.removeAll()
                stream.queue.append(SharedBytes([1]))
            }
            let results = send([gone, other], through: ring)
            #expect(results[1] == .bytes(1))
            if case .failed = results[0] { failure = results[0] }
        }
        #expect([.failed(.brokenPipe), .failed(.connectionReset)].contains(failure))
    }

    @Test func `only one waiting item can be added`() throws {
        let stream = try Stream()
        var batch = SendBatch()
        var isAdded = [stream.isAdded(to: &batch)]
        stream.queue.append(SharedBytes([1]))
        isAdded.append(stream.isAdded(to: &batch))
        stream.queue.append(SharedBytes([2]))
        isAdded.append(stream.isAdded(to: &batch))
        #expect(isAdded == [false, true, false])
        #expect(batch.count == 1)
        #expect(batch.result(at: 0) == nil)
    }

    @Test(.enabled(if: hasRing))
    func `a batch keeps the bytes as they were when it got them`() throws {
        let ring = try TransferRing(SystemCalls())
        let stream = try Stream()
        stream.queue.append(copying: [1, 2].span)
        var batch = SendBatch()
        let isAdded = stream.isAdded(to: &batch)
        #expect(isAdded)
        stream.queue.append(copying: [3].span)
        stream.queue.removeAll()
        let failure = batch.send(through: ring, SystemCalls())
        #expect(failure == 0)
        #expect(batch.result(at: 0) == .bytes(2))
        #expect(try stream.receiver?.receive { $0.count >= 2 } == [1, 2])
    }

    @Test(.enabled(if: hasRing))
    func `a batch is full at its capacity, and all of it is sent`() throws {
        let ring = try TransferRing(SystemCalls())
        let stream = try Stream([5])
        var batch = SendBatch()
        while !batch.isFull, stream.isAdded(to: &batch) {}
        let failure = batch.send(through: ring, SystemCalls())
        #expect(failure == 0)
        #expect((0..<SendBatch.capacity).allSatisfy { batch.result(at: $0) == .bytes(1) })
        batch.removeAll()
        #expect(batch.count == 0 && !batch.isFull)
    }

    // MARK: On a loop

    /// Sends one byte on a loop with these faults, twice: what it came to, why there is no ring,
    /// and how many sends were made.
    private func sendTwice(
        _ plan: FaultPlan
    ) async throws -> (results: [IOResult?], failure: SystemError?, count: Int) {
        let loop = try EventLoop(index: 0, faults: plan.next)
        try loop.start()
        let outcome = try await loop.perform { loop throws in
            let stream = try Stream([5])
            let results = (0..<2).map { _ in
                var batch = SendBatch()
                _ = stream.isAdded(to: &batch)
                loop.send(&batch)
                return batch.result(at: 0)
            }
            return (results, loop.ring.failure, loop.batchedSendCount)
        }
        loop.stop()
        await loop.join()
        return outcome
    }

    @Test(arguments: [Errno.notPermitted, .notSupportedByKernel, .invalidArgument, .outOfMemory])
    func `a refused ring sends nothing, is told of, and is not asked for again`(
        code: Errno
    ) async throws {
        let plan = FaultPlan { call, _ in call == .makeRing ? .failure(code) : nil }
        let outcome = try await sendTwice(plan)
        #expect(outcome.results == [nil, nil])
        #expect(outcome.failure == SystemError(.makeRing, code))
        #expect(outcome.count == 0)
        #expect(plan.count(of: .makeRing) == 1)
    }

    @Test(.enabled(if: hasRing), arguments: [Errno.wouldBlock, .outOfMemory])
    func `a kernel short of memory is asked again with the next batch`(code: Errno) async throws {
        let plan = FaultPlan(.failure(code), at: 1, of: .sendTogether)
        let outcome = try await sendTwice(plan)
        #expect(outcome.results == [nil, .bytes(1)])
        #expect(outcome.failure == nil)
        #expect(outcome.count == 1)
    }

    @Test(.enabled(if: hasRing))
    func `a ring that fails is given up`() async throws {
        let plan = FaultPlan(.failure(.invalidArgument), at: 1, of: .sendTogether)
        let outcome = try await sendTwice(plan)
        #expect(outcome.results == [nil, nil])
        #expect(outcome.failure == SystemError(.sendTogether, .invalidArgument))
        #expect(plan.count(of: .sendTogether) == 1)
    }
}
