import Counter
import CounterModel
import Sockets
import Statecast
import StatecastTesting
import Testing

/// A server to which others come by a forwarder on the same machine.
@Suite(.serialized, .onBothJournals) struct `Behind a forwarder that adds no field` {
    private static let session = "/counter/sessions/demo"

    /// The statuses of some requests that come by the forwarder.
    private func statuses(
        _ configuration: ServerConfiguration, _ requests: [(String, String)]
    ) async throws -> [Int] {
        try await TestServer.run(
            configuration, serving: { Served("/counter", CounterApplication()) }
        ) { server in
            try server.create(Self.session)
            let relay = try Relay()
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for _ in requests { try relay.pass(to: server.port) } }
                let client = TestServer(port: relay.port)
                let statuses = try requests.map { try client.send($0.0, $0.1).status }
                try await group.waitForAll()
                return statuses
            }
        }
    }

    @Test func `an author's server lets strangers observe and act, and no more`() async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.logger.logLevel = .error
        let statuses = try await statuses(
            configuration,
            [
                ("GET", Self.session), ("GET", Self.session + "/state"),
                ("PUT", "/counter/sessions/own"), ("GET", Self.session + "/log"),
                ("GET", Self.session + "/recording"), ("PUT", Self.session + "/state"),
                ("DELETE", Self.session), ("GET", "/metrics"), ("GET", "/inspect/timeline/"),
                ("GET", "/livez"),
            ])
        #expect(statuses == [200, 200, 201, 403, 403, 403, 403, 403, 403, 200])
    }

    @Test func `whoever says that reaching the port is enough is taken by their word`() async throws
    {
        let statuses = try await statuses(
            TestServer.configuration, [("GET", Self.session + "/log"), ("DELETE", Self.session)])
        #expect(statuses == [200, 204])
    }
}

@Suite(.onBothJournals) struct `The address that a server listens on` {
    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1", "0.0.0.0.", "0"])
    func `is refused by what the name stands for, where nobody is asked`(host: String) {
        var configuration = TestServer.configuration
        configuration.host = host
        #expect(throws: (any Error).self) {
            _ = try Server(configuration) { Served("/counter", CounterApplication()) }
        }
    }

    @Test(arguments: ["127.0.0.1", "127.1", "::1", "localhost", "[::1]", "2130706433"])
    func `is judged by the address, not by its spelling`(host: String) async throws {
        var configuration = TestServer.configuration
        configuration.host = host
        let server = try Server(configuration) { Served("/counter", CounterApplication()) }
        try server.start()
        let isOpen = server.isOpenToOperators
        await server.shutDown()
        #expect(isOpen)
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0", "::"])
    func `gives no role where it is reached from elsewhere`(host: String) async throws {
        var configuration = TestServer.configuration
        (configuration.host, configuration.isInsecure) = (host, true)
        let server = try Server(configuration) { Served("/counter", CounterApplication()) }
        try server.start()
        let isOpen = server.isOpenToOperators
        await server.shutDown()
        #expect(isOpen == (host == "127.0.0.1"))
    }
}
