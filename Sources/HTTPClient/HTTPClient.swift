/// Requests to outside servers, carried by libcurl on one thread of the client's own.
///
///     let client = HTTPClient()
///     let request = OutboundRequest(url: "http://127.0.0.1:8081/users/ada")
///     let answer = try await client.execute(request)
///
/// Any number of tasks may call it at once. Cancelling a task aborts its transfer.
public final class HTTPClient: Sendable {
    /// The limits and times it was made with.
    public let configuration: HTTPClientConfiguration

    /// Starts the thread.
    public init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        self.configuration = configuration
    }

    /// Sends the request and returns the whole answer.
    public func execute(
        _ request: OutboundRequest
    ) async throws(HTTPClientError) -> OutboundResponse {
        throw .shutDown
    }

    /// Ends what runs and waits with `.shutDown`, refuses what comes, and returns once the
    /// thread has closed all connections.
    public func shutdown() async {}
}
