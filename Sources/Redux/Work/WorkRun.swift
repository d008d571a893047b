/// One run of a piece of work that has a task.
@usableFromInline
struct WorkRun<Action: Sendable>: Sendable {
    /// Tells runs apart: each start has one of its own, so that reports of earlier ones are dropped.
    let id: UInt64
    let operation: WorkOperation<Action>
    let policy: WorkPolicy
    /// The time that each try may take.
    let timeout: Duration?
    /// The wait before the first try.
    let delay: Duration
    let key: String
    /// The entry that wanted it first.
    let cause: Cause
    /// Nothing has run under the name so far.
    let isFirst: Bool

    /// Waits, tries and tries again as the policy says; answers with the end of the run.
    func perform(
        in environment: Environment, _ phase: WorkPhase,
        _ context: @escaping @Sendable (_ attempt: Int) -> WorkContext<Action>
    ) async -> StoreDelivery<Action>.Content {
        let attempts = Attempts(
            retries: policy.retries, backoff: policy.backoff, timeout: timeout,
            wait: { try await environment.sleep(for: $0) }, phase: phase)
        do {
            if delay > .zero { try await environment.sleep(for: delay) }
            return .ended(try await attempts.run { try await operation.run(context($0)) })
        } catch {
            guard !Task.isCancelled else { return .ended(nil) }
            let action = operation.failure?(Problem(for: error))
            // A problem that is reported as it is leaves nothing to tell.
            let isTold = action != nil && error is Problem
            return .failed(action, error: isTold ? nil : String(describing: error))
        }
    }
}
