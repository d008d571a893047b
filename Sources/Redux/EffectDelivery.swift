/// A report of a running effect, on its way back to the store that owns it.
public struct EffectDelivery<Action: Sendable>: Sendable {
    /// The content of a report.
    public enum Report: Sendable {
        /// An action to dispatch.
        case action(Action)
        /// It is over.
        case ended
        /// It is over, by an error that no retry is left for.
        case failed(String)
    }

    /// Which effect.
    let effect: UInt64
    /// The report.
    public let report: Report
}

/// An effect that is running or waiting to begin.
public struct RunningEffect: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The version that started it.
    public let cause: UInt64
    /// The version, not itself caused by an effect, at the beginning of the chain.
    public let root: UInt64
    /// The number of effects that lie between the root and this one.
    public let depth: Int
    /// When it began or was queued.
    public let startedAt: Timestamp
    /// Another one of its name runs, and it waits for its turn.
    public let isWaiting: Bool
}
