/// The settings of the stand-in.
package struct MockConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 stands for any free port.
    package var port = 0
    /// The factor multiplies the delays: with 1 they are as documented (episodes 1 s, location 2 s,
    /// places 0.5 s, ride options 1 s, sign-in 1 s, rides 3 s), with 0 every answer comes at once.
    package var delay = 1.0
    /// The part of API requests that fails with 503, 0 to 1. `/mock/…` never does.
    package var failureRate = 0.0
    /// The seed decides which requests fail: the same seed and requests have the same failures.
    package var seed: UInt64 = 1

    package init() {}
}
