import Sockets
package import Statecast

/// A server without sockets: its clients connect in memory, on a thread of their own as ever.
///
/// Everything between a connection's bytes and the application is the server's own, as it runs on
/// the kernel's sockets.
package enum MemoryServer {
    /// As `TestServer.configuration`, with a network in memory.
    package static var configuration: ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.network = MemoryNetwork()
        return configuration
    }

    /// Serves applications while `body` runs, then shuts down.
    package static func run<Result: Sendable>(
        _ configuration: ServerConfiguration = TestServer.configuration,
        @ServerBuilder serving parts: () -> [ServerPart],
        body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.network = configuration.network ?? MemoryNetwork()
        return try await TestServer.run(configuration, serving: parts, body: body)
    }
}
