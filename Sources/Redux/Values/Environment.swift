/// The sources of what is not pure, which reducers must not reach for: time, waiting, chance.
public struct Environment: Sendable {
    /// The clock that effects wait by.
    public var clock: any Clock<Duration>
    /// The wall clock, in whole milliseconds.
    public var now: @Sendable () -> Timestamp
    /// The bits that an entry's random numbers come from: the system's where a test gives no others.
    public var makeSeed: @Sendable () -> Seed
    /// Makes what each try of work is given of its surroundings; nil where there are none.
    package var surround: (@Sendable (WorkChain) -> any Sendable)?
    /// Runs the effects: Swift's pool where there is none. A test runs them on its own thread.
    public var executor: (any TaskExecutor)?

    /// An environment; without `makeSeed`, chance is the system's.
    public init(
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp,
        makeSeed: @escaping @Sendable () -> Seed = Seed.random
    ) {
        self.clock = clock
        self.now = now
        self.makeSeed = makeSeed
    }
}
