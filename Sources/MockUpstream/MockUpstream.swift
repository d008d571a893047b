internal import FoundationEssentials
internal import HTTPServer
public import Logging
internal import Sockets

/// The outside APIs of the Episodes and Rides applications, on one event loop of its own.
///
///     let upstream = try MockUpstream(configuration: MockConfiguration())
///     let port = try upstream.start()
///     …  "http://127.0.0.1:\(port)/episodes"
///     await upstream.stop()
///
/// The JSON of each resource stands in `EpisodeModel.swift` and `RideModel.swift`, that of the
/// controls for tests at `FailureRule`. Every error body is `application/problem+json`.
public final class MockUpstream: Sendable {
    /// How it was configured.
    public let configuration: MockConfiguration

    private let server: HTTPServer

    /// Nothing listens before `start()`. Throws when the system has no descriptors for a loop.
    public init(
        configuration: MockConfiguration, logger: Logger = Logger(label: "mock-upstream")
    ) throws {
        self.configuration = configuration
        var settings = HTTPServerConfiguration(
            host: configuration.host, port: configuration.port, logger: logger)
        // Its pictures are shown by pages of other origins.
        settings.commonFields = [("X-Content-Type-Options", "nosniff")]
        server = try HTTPServer(configuration: settings) { _ in
            MockHandler(MockService(configuration: configuration, now: .now))
        }
    }

    /// Binds and serves; returns the port, which is the free one that was found if 0 was asked
    /// for. Throws when the address cannot be had. Called once.
    @discardableResult
    public func start() throws -> Int {
        try server.start()
        return server.port
    }

    /// Closes the port, lets answers that are due within `grace` go out, closes all connections
    /// and ends the loop's thread.
    public func stop(grace: Duration = .zero) async {
        if grace > .zero { await server.drain(timeout: grace) }
        await server.stop()
    }
}
