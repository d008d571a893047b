package import Logging
package import Sockets

/// The address and the bounds of a server.
package struct WebServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address, or a name that stands for one.
    package var host: String
    /// The TCP port; 0 for any free one, told by `WebServer.port`.
    package var port: Int
    /// The event loops, each a thread; at least 1.
    package var loopCount: Int
    /// All bounds.
    package var limits: HTTPLimits
    /// From how many connections on, with something to write at the end of a turn or answers made
    /// in it, these are sent by one submission to io_uring(7), where the kernel has it; nil for
    /// never. From two on, or this many if it is less, connections that are readable in one turn
    /// are received from by one.
    package var leastBatchCount: Int? = 4
    /// Fields of every answer, whatever it is about. The defaults have browsers take a body for
    /// nothing but its media type, and keep it from the pages of other origins.
    package var commonFields: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), (OriginSharing.resourcePolicy, "same-origin"),
    ]
    /// The origins whose pages may read answers; nil for none, so that no answer differs by origin.
    package var sharing: OriginSharing?
    /// The memory of all clients together, for handlers that count into it as well; nil for one of
    /// the server's own.
    package var memory: MemoryBudget?
    /// Gets what an operator should know: never the content of requests.
    package var logger: Logger

    package init(
        host: String = "127.0.0.1", port: Int = 8080, loopCount: Int = 1,
        limits: HTTPLimits = HTTPLimits(),
        logger: Logger = Logger(label: "statecast.http")
    ) {
        self.host = host
        self.port = port
        self.loopCount = loopCount
        self.limits = limits
        self.logger = logger
    }
}
