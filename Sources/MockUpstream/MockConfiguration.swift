/// How the stand-in behaves.
public struct MockConfiguration: Sendable {
    /// Where it listens.
    public var host = "127.0.0.1"
    /// 0: any free port.
    public var port = 0
    /// Factor on the delays: 1 as documented (episodes 1 s, location 2 s, places 0.5 s, ride
    /// options 1 s, sign-in 1 s, rides 3 s), 0 at once.
    public var delay = 1.0
    /// The part of API requests that fails with 503, 0 to 1. Pictures and `/mock/…` never do.
    public var failureRate = 0.0
    /// What the failures are drawn from: the same seed and requests, the same failures.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}
}
