@testable import HTTPServer
import Sockets
import Testing

@Suite struct DrainTests {
    @Test(arguments: [1, 2])
    func `a drain ends idle connections, streams and held requests`(loops: Int) async throws {
        try await TestServer.run(loops: loops) { server in
            let idle = try server.connect()
            try idle.send(Request.get("/a"))
            _ = try idle.receive(to: "GET /a")
            let stream = try server.connect()
            try stream.send(Request.get("/loop/0/stream"))
            _ = try stream.receive(upTo: "hello on 0")
            let held = try server.connect()
            try held.send(Request.get("/loop/0/hold"))
            await server.journal.wait(for: "held")
            let releaser = try server.connect()
            try releaser.send("GET /loop/0/release HTTP/1.1\r\nHost: a\r\n")
            #expect(try server.isAlive())

            async let isEmpty = server.server.drain(timeout: .seconds(60))
            #expect(try idle.receiveAll().isEmpty)
            #expect(throws: SystemError.self) {
                while true { _ = try server.connect() }
            }
            #expect(try payload(stream.receiveAll()) == "end: draining\n")
            await server.journal.wait(for: "draining")
            try releaser.send("\r\n")
            let last = text(try releaser.receiveAll())
            #expect(last.hasSuffix("done"))
            #expect(last.contains("Connection: close"))
            #expect(try text(held.receiveAll()).hasSuffix("released"))
            // What clients still send is read for a while.
            await server.advanceToTheLastConnection(by: .seconds(3))
            #expect(await isEmpty)
        }
    }

    @Test func `a drain tells other servers that nothing is done of what they may be sending`()
        async throws
    {
        let inner = try Listener(host: "127.0.0.1", port: 0)
        try await TestServer.run(inner: inner) { server in
            let peers = try (0..<2).map { _ in
                try BlockingConnection(port: Int(inner.address.port))
            }
            // The other one has sent nothing, and is perhaps not accepted.
            try peers[0].send(Request.get("/a"))
            _ = try peers[0].receive(to: "GET /a")
            async let isEmpty = server.server.drain(timeout: .seconds(60))
            for peer in peers {
                #expect(try text(peer.receiveAll()).hasPrefix("HTTP/1.1 421 "))
            }
            await server.advanceToTheLastConnection(by: .seconds(3))
            #expect(await isEmpty)
        }
    }

    @Test func `a drain that takes too long gives up`() async throws {
        try await TestServer.run { server in
            let held = try server.connect()
            try held.send(Request.get("/hold"))
            await server.journal.wait(for: "held")
            #expect(await server.server.drain(timeout: .milliseconds(1)) == false)
        }
    }

    @Test func `a stopped server serves nobody and frees its port`() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try client.send(Request.get("/a"))
            _ = try client.receive(to: "GET /a")
            let port = server.server.port
            await server.server.stop()
            #expect(try client.receiveAll().isEmpty)
            _ = try Listener(host: "127.0.0.1", port: port)
        }
    }
}
