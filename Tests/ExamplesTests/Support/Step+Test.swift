import Statecast

extension Step {
    /// The step of an action without a store, the server's where no principal is given; the first id
    /// of version 1 is `test-1`.
    static func test(by principal: Principal? = nil, version: UInt64 = 1) -> Step {
        Step(
            by: principal, at: Timestamp(milliseconds: 0), version: version, session: .local,
            epoch: "test")
    }
}
