/// What a running effect reports, on its way back to the store that owns it.
public struct EffectDelivery<Action: Sendable>: Sendable {
    /// What is reported.
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
    /// What it reports.
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
    /// How many effects lie between the root and this one.
    public let depth: Int
    /// When it began or was queued.
    public let startedAt: Timestamp
    /// Another one of its name runs, and it waits for its turn.
    public let isWaiting: Bool
}

/// What a store tells that is no part of its state.
public enum StoreDiagnostic: Sendable, Hashable {
    /// A chain of caused actions was longer than the limit and was cut; the versions in it, the
    /// newest last.
    case chainCut(causes: [UInt64], limit: Int)
    /// An effect ended with an error.
    case effectFailed(name: String, error: String)
    /// An effect was not started because as many as allowed are running or queued.
    case effectsExhausted(name: String, limit: Int)
    /// An effect's action was rejected.
    case effectRejected(name: String, rejection: Rejection)
}

/// Bounds of one store.
public struct StoreLimits: Sendable, Hashable {
    /// How long a chain of caused actions may grow.
    public var chainLength = 100
    /// An effect that ran for so long begins a new chain: slow circles are lawful.
    public var quietDuration = Duration.seconds(1)
    /// How many effects run at once.
    public var runningEffects = 1_000
    /// How many effects wait in the queue of one name.
    public var queuedEffects = 100
    /// How many actions of one effect may be on their way to the store.
    public var queuedReports = 10_000
    /// How many actions wait behind the present one.
    public var queuedActions = 10_000

    /// The defaults.
    public init() {}
}
