extension Step {
    /// The step in which a session begins: version 0, by the one who has it made.
    ///
    /// - Parameters:
    ///   - epoch: the part before `-` of the session's tokens.
    ///   - time: nil: read when the application asks.
    ///   - environment: makes ids and seeds, where a test has them made otherwise.
    package static func beginning(
        _ session: SessionID, epoch: String, by principal: Principal?, at time: Timestamp? = nil,
        in environment: Environment
    ) -> Step {
        let step = Step(session: session, epoch: epoch, environment, after: nil)
        step.begin(version: 0, by: principal, at: time, cause: nil)
        return step
    }
}
