/// The sources of what is not pure, which reducers must not reach for: time, waiting, new ids.
public struct Environment: Sendable {
    /// The clock that effects wait by.
    public var clock: any Clock<Duration>
    /// The wall clock, in whole milliseconds.
    public var now: @Sendable () -> Timestamp
    /// An id that was never given before.
    public var makeID: @Sendable () -> String
    /// Runs the effects: Swift's pool where there is none. A test runs them on its own thread.
    public var executor: (any TaskExecutor)?

    /// An environment; without `makeID`, ids are 128 random bits in hexadecimal digits.
    public init(
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp,
        makeID: @escaping @Sendable () -> String = Environment.randomID
    ) {
        self.clock = clock
        self.now = now
        self.makeID = makeID
    }

    /// 128 random bits as 32 hexadecimal digits.
    @Sendable public static func randomID() -> String {
        let digits = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
            .map { String($0, radix: 16) }
        return digits.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }
}
