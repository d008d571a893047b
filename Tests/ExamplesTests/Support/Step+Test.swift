import Statecast

extension Step {
    /// The step of a server's action without a store; the first id of version 1 is `test-1`.
    static func test(version: UInt64 = 1) -> Step {
        Step(
            by: Principal("ada"), at: Timestamp(milliseconds: 0), version: version, session: .local,
            epoch: "test")
    }
}
