/// Bounds of one store.
public struct StoreLimits: Sendable, Hashable {
    /// The length to which a chain of caused actions may grow.
    public var chainLength = 100
    /// The number of actions that one may cause before nothing waits: what branches ends, too.
    public var followingActions = 10_000
    /// An effect that ran for so long begins a new chain: slow circles are lawful.
    public var quietDuration = Duration.seconds(1)
    /// The number of effects that run at once, and of works.
    public var runningEffects = 1_000
    /// The number of effects that wait in the queue of one name.
    public var queuedEffects = 100
    /// The number of kinds of throttled actions that are remembered at once.
    public var rememberedThrottles = 10_000
    /// The number of actions that wait behind the present one.
    public var queuedActions = 10_000

    /// The defaults.
    public init() {}
}
