import FaultPlans
import Sockets
import Testing

@Suite struct `A blocking connection` {
    private func withEcho(
        loopCount: Int = 1, _ body: (EchoServer) async throws -> Void
    ) async throws {
        let server = try await EchoServer(loopCount: loopCount)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func `carries bytes in their order, and the end`() async throws {
        try await withEcho { server in
            let client = try server.connect()
            try client.send("one")
            #expect(try client.receive { $0.count == 3 } == Array("one".utf8))
            try client.send("two")
            try client.send("three")
            try client.shutdownWrite()
            #expect(try client.receiveAll() == Array("twothree".utf8))
        }
    }

    @Test func `has a client wait no longer than it wants`() async throws {
        try await withEcho { server in
            let client = try server.connect()
            let error = #expect(throws: SystemError.self) {
                try client.receive(timeout: .milliseconds(20))
            }
            #expect(error?.code == .timedOut)
            try client.send("still there")
            #expect(try client.receive { $0.count == 11 }.count == 11)
        }
    }

    @Test func `has a server wait for a client that does not read`() async throws {
        try await withEcho { server in
            let client = try server.connect()
            try client.limitReceiveBuffer(to: 4096)
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            try client.send(bytes)
            try client.shutdownWrite()
            #expect(try client.receiveAll() == bytes)
        }
    }

    @Test func `serves many clients on several loops`() async throws {
        try await withEcho(loopCount: 3) { server in
            let clients = try (0..<30).map { _ in try server.connect() }
            for (number, client) in clients.enumerated() { try client.send("\(number)") }
            for (number, client) in clients.enumerated() {
                try client.shutdownWrite()
                #expect(try client.receiveAll() == Array("\(number)".utf8))
            }
        }
    }

    @Test func `lets go of a connection that a client has reset`() async throws {
        try await withEcho { server in
            do {
                let client = try server.connect()
                try client.send("a")
                _ = try client.receive { $0.count == 1 }
                try client.resetOnClose()
            }
            while await server.loops[0].registrationCount > 1 { await Task.yield() }
        }
    }

    @Test func `is refused while nobody listens`() throws {
        let port = try Listener(host: "127.0.0.1", port: 0).port
        #expect(throws: SystemError.self) { try BlockingConnection(port: port) }
    }

    @Test func `shortens and fails calls as a plan says`() async throws {
        let plan = FaultPlan { call, number in
            call == .send && number == 2
                ? .failure(.connectionReset) : call == .receive ? .short(1) : nil
        }
        let server = try await EchoServer(faults: plan)
        let client = try server.connect()
        try client.send("ab")
        #expect(try client.receiveAll() == Array("a".utf8))
        #expect(plan.hitCount >= 3)
        await server.stop()
    }
}
