/// Bounds of the requests that an application's own routes answer.
public struct RouteLimits: Sendable, Hashable {
    /// The handlers that run at once; above it 503. One that goes on although it was cancelled counts
    /// until it has ended.
    public var runningCount = 256
    /// The time that a handler has; then it is cancelled, and its client gets 503.
    public var duration = Duration.seconds(60)

    /// The defaults.
    public init() {}
}
