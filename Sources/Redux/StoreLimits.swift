/// Bounds of one store.
public struct StoreLimits: Sendable, Hashable {
    /// How long a chain of caused actions may grow.
    public var chainLength = 100
    /// How many actions may follow from one before nothing waits: what branches ends, too.
    public var followingActions = 10_000
    /// An effect that ran for so long begins a new chain: slow circles are lawful.
    public var quietDuration = Duration.seconds(1)
    /// How many effects run at once.
    public var runningEffects = 1_000
    /// How many effects wait in the queue of one name.
    public var queuedEffects = 100
    /// How many actions of one effect may be on their way to the store.
    public var queuedReports = 10_000
    /// How many kinds of throttled actions are remembered at once.
    public var rememberedThrottles = 10_000
    /// How many actions wait behind the present one.
    public var queuedActions = 10_000

    /// The defaults.
    public init() {}
}
