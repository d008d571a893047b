/// The surroundings of an action that has not reached the reducer, for an interceptor.
public struct Incoming: Sendable {
    /// The source of the action.
    public let origin: Origin
    /// The one who sent it; nil where the server itself did.
    public let by: Principal?
    /// The time at which it is decided.
    public let at: Timestamp

    /// The surroundings of an action.
    public init(origin: Origin, by: Principal?, at: Timestamp) {
        self.origin = origin
        self.by = by
        self.at = at
    }
}
