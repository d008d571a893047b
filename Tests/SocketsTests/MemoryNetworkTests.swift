import Sockets
import Testing

/// Each conversation is held through the kernel's sockets and in memory, so that the one can stand
/// for the other.
@Suite struct `A network in memory` {
    private func withEcho(
        inMemory: Bool, loopCount: Int = 1, _ body: (EchoServer) async throws -> Void
    ) async throws {
        let server = try await EchoServer(
            loopCount: loopCount, network: inMemory ? MemoryNetwork() : nil)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `carries bytes in their order, and the end`(inMemory: Bool) async throws {
        try await withEcho(inMemory: inMemory) { server in
            let client = try server.connect()
            try client.send("one")
            #expect(try client.receive { $0.count == 3 } == Array("one".utf8))
            try client.send("two")
            try client.send("three")
            try client.shutdownWrite()
            #expect(try client.receiveAll() == Array("twothree".utf8))
        }
    }

    @Test(arguments: [true, false])
    func `has a client wait no longer than it wants`(inMemory: Bool) async throws {
        try await withEcho(inMemory: inMemory) { server in
            let client = try server.connect()
            let error = #expect(throws: SystemError.self) {
                try client.receive(timeout: .milliseconds(20))
            }
            #expect(error?.code == .timedOut)
            try client.send("still there")
            #expect(try client.receive { $0.count == 11 }.count == 11)
        }
    }

    @Test(arguments: [true, false])
    func `has a server wait for a client that does not read`(inMemory: Bool) async throws {
        try await withEcho(inMemory: inMemory) { server in
            let client = try server.connect()
            try client.limitReceiveBuffer(to: 4096)
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            try client.send(bytes)
            try client.shutdownWrite()
            #expect(try client.receiveAll() == bytes)
        }
    }

    @Test(arguments: [true, false])
    func `serves many clients on several loops`(inMemory: Bool) async throws {
        try await withEcho(inMemory: inMemory, loopCount: 3) { server in
            let clients = try (0..<30).map { _ in try server.connect() }
            for (number, client) in clients.enumerated() { try client.send("\(number)") }
            for (number, client) in clients.enumerated() {
                try client.shutdownWrite()
                #expect(try client.receiveAll() == Array("\(number)".utf8))
            }
        }
    }

    @Test(arguments: [true, false])
    func `lets go of a connection that a client has reset`(inMemory: Bool) async throws {
        try await withEcho(inMemory: inMemory) { server in
            do {
                let client = try server.connect()
                try client.send("a")
                _ = try client.receive { $0.count == 1 }
                try client.resetOnClose()
            }
            while await server.loops[0].registrationCount > 1 { await Task.yield() }
        }
    }

    @Test func `refuses clients while nobody listens`() async throws {
        let network = MemoryNetwork()
        #expect(throws: SystemError.self) { try network.connect() }
        do {
            let listener = Listener(network)
            let client = try network.connect()
            _ = consume listener
            #expect(try client.receive(timeout: .seconds(1)).isEmpty)
        }
        #expect(throws: SystemError.self) { try network.connect() }
    }

    @Test func `shortens and fails calls as a plan says`() async throws {
        let plan = FaultPlan { call, number in
            call == .send && number == 2
                ? .failure(.connectionReset) : call == .receive ? .short(1) : nil
        }
        let server = try await EchoServer(faults: plan, network: MemoryNetwork())
        let client = try server.connect()
        try client.send("ab")
        #expect(try client.receiveAll() == Array("a".utf8))
        #expect(plan.hitCount >= 3)
        await server.stop()
    }
}
