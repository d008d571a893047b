/// An effect that is running or waiting to begin.
public struct RunningEffect: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The version that started it.
    public let cause: UInt64
    /// The version, not itself caused by an effect, at the beginning of the chain.
    package let root: UInt64
    /// The number of effects that lie between the root and this one.
    package let depth: Int
    /// When it began or was queued.
    package let startedAt: Timestamp
    /// Another one of its name runs, and it waits for its turn.
    public let isWaiting: Bool
}
