internal import FoundationEssentials
internal import HTTPServer
package import Logging
internal import Sockets

/// The outside APIs of the Episodes and Rides applications, on one event loop of its own.
///
///     let upstream = try MockServer(configuration: MockConfiguration())
///     let port = try upstream.start()
///     …  "http://127.0.0.1:\(port)/episodes"
///     await upstream.stop()
///
/// The JSON of each resource stands in `EpisodeModel.swift` and `RideModel.swift`, that of the
/// controls for tests at `FailureRule`. Every error body is `application/problem+json`.
package final class MockServer: Sendable {
    package let configuration: MockConfiguration

    private let server: WebServer

    /// Makes a server that listens once it is started. Throws when the system has no descriptors
    /// for a loop.
    package init(
        configuration: MockConfiguration, logger: Logger = Logger(label: "mock-upstream")
    ) throws {
        self.configuration = configuration
        let settings = WebServerConfiguration(
            host: configuration.host, port: configuration.port, logger: logger)
        server = try WebServer(configuration: settings) { _ in
            MockHandler(MockService(configuration: configuration, now: .now))
        }
    }

    /// Binds the address and serves; returns the port, a free one where the configuration has 0.
    /// Throws when the address cannot be bound. A server is started once.
    @discardableResult
    package func start() throws -> Int {
        try server.start()
        return server.port
    }

    /// Closes the port, lets answers that are due within `grace` go out, closes all connections
    /// and ends the loop's thread.
    package func stop(grace: Duration = .zero) async {
        if grace > .zero { await server.drain(timeout: grace) }
        await server.stop()
    }
}
