/// A piece of work that a session has going on.
public struct RunningWork: Sendable, Hashable {
    /// The stage of a piece of work.
    public enum Stage: Sendable, Hashable {
        case running
        /// Another value of its name is allowed to end first.
        case finishing
        /// As many as allowed are running.
        case waiting
        /// Nobody watches.
        case paused
        /// The alarm comes at this time.
        case due(Timestamp)
        /// The alarm has come, and its action is being decided.
        case fired
    }

    /// Its full name, with the scopes around it.
    public let name: String
    /// The version that wanted it.
    public let cause: UInt64
    /// The time since when it is in its stage.
    public let since: Timestamp
    /// The number of the present try; 0 before the first one, and of an alarm.
    public internal(set) var attempt: Int
    /// Its stage.
    public let stage: Stage
}
