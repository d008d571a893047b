import FaultPlans
import Glibc
@testable import Sockets
import Testing

/// Whether this kernel has io_uring, and lets us use it.
private let hasRing = (try? TransferRing(SystemCalls())) != nil

@Suite struct ReceiveBatchTests {
    /// A connected pair; `number` stands for the registration of the one that receives.
    private final class Source {
        let owner: Registration
        let receiver: Descriptor
        private var connection: BlockingConnection?

        init(_ number: UInt32) throws {
            owner = Registration(slot: number, generation: 0)
            let listener = try Listener(host: "127.0.0.1", port: 0)
            connection = try BlockingConnection(port: listener.port)
            guard case .accepted(let descriptor, _) = listener.accept(SystemCalls()) else {
                throw SystemError(.accept, .wouldBlock)
            }
            receiver = descriptor
        }

        var sender: BlockingConnection {
            get throws { try #require(connection) }
        }

        func endSender() { connection = nil }

        /// What the event of this socket brings.
        func take(from batch: ReceiveBatch) -> (result: IOResult?, bytes: [UInt8]) {
            batch.begin(owner)
            let result = batch.take(receiver.rawValue)
            var bytes: [UInt8] = []
            if case .bytes = result { batch.lend { span in bytes = ReceiveBatchTests.copy(span) } }
            return (result, bytes)
        }

        /// What is left in the socket.
        func rest() -> [UInt8] {
            let input = LoopInput()
            guard case .bytes = input.receive(from: receiver, SystemCalls()) else { return [] }
            var bytes: [UInt8] = []
            input.lend { span in bytes = ReceiveBatchTests.copy(span) }
            return bytes
        }

        /// Sends, and waits until that has arrived.
        func give(_ text: String) throws { try give([UInt8](text.utf8)) }

        func give(_ bytes: [UInt8]) throws {
            try sender.send(bytes)
            try wait(for: bytes.count)
        }

        /// Waits until so many bytes can be received.
        private func wait(for count: Int) throws {
            var room = [UInt8](repeating: 0, count: count)
            var arrived = 0
            while arrived < count {
                waitForEvent()
                arrived = unsafe recv(receiver.rawValue, &room, room.count, Int32(MSG_PEEK))
            }
        }

        /// Waits until there is something to receive, or an end.
        func waitForEvent() {
            var event = pollfd(fd: receiver.rawValue, events: Int16(POLLIN), revents: 0)
            #expect(unsafe poll(&event, 1, 10_000) == 1)
        }
    }

    fileprivate static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        bytes.indices.map { bytes[$0] }
    }

    private func receive(
        from sources: [Source], _ system: SystemCalls = SystemCalls()
    ) throws -> ReceiveBatch {
        let batch = ReceiveBatch()
        for source in sources { batch.add(source.receiver.rawValue, of: source.owner) }
        #expect(batch.receive(through: try TransferRing(system), system) == 0)
        return batch
    }

    @Test(.enabled(if: hasRing)) func `each socket's bytes are its own, in batch after batch`()
        throws
    {
        let sources = try (0..<UInt32(ReceiveBatch.capacity)).map { try Source($0) }
        let batch = ReceiveBatch()
        let ring = try TransferRing(SystemCalls())
        for round in 0..<100 {
            batch.removeAll()
            for source in sources {
                let text = "\(round) for \(source.owner.slot)"
                try source.give(text)
                batch.add(source.receiver.rawValue, of: source.owner)
            }
            #expect(batch.receive(through: ring, SystemCalls()) == 0)
            for source in sources {
                let text = [UInt8]("\(round) for \(source.owner.slot)".utf8)
                let (result, bytes) = source.take(from: batch)
                #expect(result == .bytes(text.count))
                #expect(bytes == text)
            }
        }
    }

    @Test(.enabled(if: hasRing))
    func `a socket with nothing, one that has ended and one that was reset say so`() throws {
        let sources = try (0..<4).map { try Source($0) }
        try sources[1].sender.shutdownWrite()
        try sources[2].sender.resetOnClose()
        try sources[3].give("x")
        sources[2].endSender()
        sources[1].waitForEvent()
        sources[2].waitForEvent()
        let batch = try receive(from: sources)
        #expect(
            sources.map { $0.take(from: batch).result }
                == [.wouldBlock, .closed, .failed(.connectionReset), .bytes(1)])
    }

    @Test(.enabled(if: hasRing)) func `what is more than one receive takes stays in the socket`()
        throws
    {
        let source = try Source(0)
        let sent = (0..<ReceiveBatch.byteCount + 7).map { UInt8(truncatingIfNeeded: $0) }
        try source.give(sent)
        let (result, bytes) = source.take(from: try receive(from: [source]))
        #expect(result == .bytes(ReceiveBatch.byteCount))
        #expect(bytes + source.rest() == sent)
    }

    @Test(
        .enabled(if: hasRing),
        arguments: [
            (Fault.failure(.wouldBlock), IOResult.wouldBlock), (.short(1), .bytes(1)),
            (.short(1_000_000), .bytes(4)), (.failure(.interrupted), .bytes(4)),
            (.failure(.connectionReset), .failed(.connectionReset)),
        ])
    func `a fault of one receive is that one's alone`(fault: Fault, result: IOResult) throws {
        for faulty in 0..<3 {
            let sources = try (0..<3).map { try Source($0) }
            for source in sources { try source.give("four") }
            let system = SystemCalls(faults: FaultPlan(fault, at: faulty + 1, of: .receive).next)
            var expected: [IOResult?] = [.bytes(4), .bytes(4), .bytes(4)]
            expected[faulty] = result
            let batch = try receive(from: sources, system)
            let taken = sources.map { $0.take(from: batch) }
            #expect(taken.map(\.result) == expected)
            // What the fault has kept from being received is still there.
            #expect(
                zip(taken, sources).allSatisfy { $0.bytes + $1.rest() == [UInt8]("four".utf8) })
        }
    }

    @Test(.enabled(if: hasRing), arguments: [Errno.wouldBlock, .outOfMemory, .invalidArgument])
    func `where the kernel takes no batch, nothing is at hand and nothing lost`(code: Errno) throws
    {
        let sources = try (0..<3).map { try Source($0) }
        for source in sources { try source.give("x") }
        let system = SystemCalls(
            faults: FaultPlan(.failure(code), at: 1, of: .receiveTogether).next)
        let batch = ReceiveBatch()
        for source in sources { batch.add(source.receiver.rawValue, of: source.owner) }
        let failure = batch.receive(through: try TransferRing(system), system)
        #expect(failure == -Int(code.rawValue))
        for source in sources {
            #expect(source.take(from: batch).result == nil)
            #expect(source.rest() == [UInt8]("x".utf8))
        }
    }

    // MARK: The order of events

    @Test(.enabled(if: hasRing))
    func `events of others between those of a batch change nothing, and each is taken once`() throws
    {
        let sources = try (0..<3).map { try Source($0) }
        for source in sources { try source.give("\(source.owner.slot)") }
        let batch = try receive(from: sources)
        let other = try Source(7)
        #expect(other.take(from: batch).result == nil)
        #expect(sources[0].take(from: batch).result == .bytes(1))
        #expect(batch.take(sources[0].receiver.rawValue) == nil)
        #expect(other.take(from: batch).result == nil)
        // An event that its handler does not receive in.
        batch.begin(sources[1].owner)
        #expect(batch.take(other.receiver.rawValue) == nil)
        #expect(sources[2].take(from: batch).bytes == [UInt8]("2".utf8))
        #expect(sources[2].take(from: batch).result == nil)
    }

    @Test(.enabled(if: hasRing))
    func `bytes for an event that will not be go to the next owner, once`() throws {
        let sources = try (0..<4).map { try Source($0) }
        for source in sources { try source.give("\(source.owner.slot)") }
        let batch = try receive(from: sources)
        #expect(sources[0].take(from: batch).result == .bytes(1))
        #expect(batch.takeBytes(of: sources[0].owner).isEmpty)
        #expect(batch.takeBytes(of: sources[2].owner) == [UInt8]("2".utf8))
        #expect(batch.takeBytes(of: sources[2].owner).isEmpty)
        // In its own event, too.
        batch.begin(sources[1].owner)
        #expect(batch.takeBytes(of: sources[1].owner) == [UInt8]("1".utf8))
        #expect(batch.take(sources[1].receiver.rawValue) == nil)
        // An event that was under way all the same finds what is in the socket.
        #expect(sources[2].take(from: batch).result == nil)
        #expect(sources[3].take(from: batch).result == .bytes(1))
        #expect(batch.takeBytes(of: .none).isEmpty)
        batch.removeAll()
        #expect(batch.takeBytes(of: sources[3].owner).isEmpty)
    }

    // MARK: On a loop

    /// Bytes that differ from their neighbours.
    private func numbered(_ count: Int, from first: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: first + $0 &* 31 &+ $0 >> 8) }
    }

    @Test
    func `a connection that takes the number of one that ends in its turn gets its own bytes`()
        async throws
    {
        let loop = try EventLoop(index: 0)
        try loop.start()
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let clients = try (0..<3).map { _ in try BlockingConnection(port: listener.port) }
        try await loop.perform { loop throws in
            loop.input.receiveTogether(from: 1)
            let rivals = Rivals(listener)
            for client in clients.prefix(2) {
                rivals.adopt(on: loop)
                try client.send("a")
            }
        }
        for client in clients.prefix(2) { #expect(try client.receive(limit: 1) == [0x61]) }
        // Both are received from together. The first ends the second, whose number is free then.
        try await loop.perform { _ throws in
            for client in clients.prefix(2) { try client.send("b") }
            try clients[2].send("new")
        }
        #expect(try clients[2].receive { $0.count >= 3 } == [UInt8]("new".utf8))
        let answers = clients.prefix(2).map { try? $0.receive(limit: 1) }
        #expect(answers.count { $0 == [0x62] } == 1)
        #expect(await loop.batchedReceiveCount == (hasRing ? 2 : 0))
        loop.stop()
        await loop.join()
    }

    @Test(arguments: [nil, 1, 2, 5] as [Int?])
    func `whatever is received together, everybody's bytes come back in order`(
        leastBatchCount: Int?
    ) async throws {
        let server = try await EchoServer(leastBatchCount: leastBatchCount)
        let loop = server.loops[0]
        let clients = try (0..<40).map { _ in try server.connect() }
        for size in [1, 100, ReceiveBatch.byteCount, 30_000, 10, 5_000, 3] {
            // All are readable when the loop looks: it stands still while they send.
            try await loop.perform { _ throws in
                for (number, client) in clients.enumerated() {
                    try client.send(numbered(size, from: number))
                }
            }
            for (number, client) in clients.enumerated() {
                let bytes = try client.receive { $0.count >= size }
                #expect(bytes == numbered(size, from: number))
            }
        }
        let count = await loop.batchedReceiveCount
        #expect(count > 0 || leastBatchCount == nil || !hasRing)
        #expect(count == 0 || leastBatchCount != nil)
        await server.stop()
    }

    @Test func `a socket that gives much is received from by itself`() async throws {
        let server = try await EchoServer(leastBatchCount: 1)
        let client = try server.connect()
        let large = [UInt8](repeating: 1, count: 2 * ReceiveBatch.byteCount)
        for _ in 0..<5 {
            try await server.loops[0].perform { _ throws in try client.send(large) }
            #expect(try client.receive { $0.count >= large.count } == large)
        }
        #expect(await server.loops[0].batchedReceiveCount == 0)
        for _ in 0..<3 {
            try client.send("few")
            #expect(try client.receive { $0.count >= 3 } == [UInt8]("few".utf8))
        }
        // The first of them shows that it gives little again.
        #expect(await server.loops[0].batchedReceiveCount == (hasRing ? 2 : 0))
        await server.stop()
    }

    @Test(arguments: [Errno.notPermitted, .notSupportedByKernel])
    func `where the kernel refuses, each is received from as ever, and that is told once`(
        code: Errno
    ) async throws {
        let plan = FaultPlan { call, _ in call == .makeRing ? .failure(code) : nil }
        let server = try await EchoServer(faults: plan, leastBatchCount: 1)
        let told = Lock<[SystemError]>([])
        await server.loops[0].perform { loop in
            loop.ring.onFailure = { failure in told.withLock { $0.append(failure) } }
        }
        let client = try server.connect()
        for _ in 0..<3 {
            try client.send("x")
            #expect(try client.receive { !$0.isEmpty } == [UInt8]("x".utf8))
        }
        #expect(told.withLock { $0 } == [SystemError(.makeRing, code)])
        #expect(plan.count(of: .makeRing) == 1)
        await server.stop()
    }
}

/// Connections that send back what they receive; the first that receives "b" ends the others, and
/// takes in the next connection.
private final class Rivals {
    private let listener: Listener
    private var members: [Rival] = []

    init(_ listener: Listener) {
        self.listener = listener
    }

    func adopt(on loop: isolated EventLoop) {
        guard case .accepted(let descriptor, _) = listener.accept(loop.system) else { return }
        let rival = Rival(descriptor, self)
        rival.registration = try? loop.add(rival.descriptor, interest: .read, handler: rival)
        members.append(rival)
    }

    func end(allBut winner: Rival, on loop: isolated EventLoop) {
        for rival in members where rival !== winner { rival.close(on: loop) }
        members = [winner]
    }
}

private final class Rival: ReadinessHandler {
    var descriptor: Descriptor
    var registration: Registration?
    private let rivals: Rivals

    init(_ descriptor: consuming Descriptor, _ rivals: Rivals) {
        self.descriptor = descriptor
        self.rivals = rivals
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        var received: [UInt8] = []
        let result = loop.receive(from: descriptor) { received = ReceiveBatchTests.copy($0) }
        guard case .bytes = result else { return close(on: loop) }
        _ = loop.system.send(received.span, to: descriptor)
        guard received == [0x62] else { return }
        rivals.end(allBut: self, on: loop)
        rivals.adopt(on: loop)
    }

    func close(on loop: isolated EventLoop) {
        guard let registration else { return }
        self.registration = nil
        loop.remove(registration, closing: descriptor.take())
    }
}
