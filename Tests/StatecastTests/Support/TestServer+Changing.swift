import StatecastTesting

@testable import Statecast

extension TestServer {
    /// Serves applications with the configuration of tests, which is changed before.
    static func run<Result: Sendable>(
        changing change: (inout ServerConfiguration) throws -> Void,
        @ServerBuilder serving parts: () -> [ServerPart],
        body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        try change(&configuration)
        return try await run(configuration, serving: parts, body: body)
    }
}
