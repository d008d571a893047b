/// An effect's work has taken longer than `EffectPolicy.timeout`.
public struct EffectTimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time that it was allowed to take.
    public let duration: Duration

    /// For operators.
    public var description: String { "timed out after \(duration)" }
}

/// Runs an operation as its policy says, in the task that the runner made for it.
enum EffectOperation {
    /// Waits for retries double up to here.
    static let longestBackoff = Attempts.longestBackoff

    static func run<State, Action: Sendable>(
        _ operation: @escaping @Sendable (EffectContext<Action>) async throws -> Void,
        of effect: Effect<State, Action>, _ context: EffectContext<Action>
    ) async -> EffectDelivery<Action>.Report {
        do {
            try await tryRepeatedly(operation, context, effect.policy)
            return .ended
        } catch {
            guard !Task.isCancelled else { return .ended }
            guard let failure = effect.failure else {
                return .failed(String(describing: error))
            }
            failure(error, context)
            return .ended
        }
    }

    private static func tryRepeatedly<Action: Sendable>(
        _ operation: @escaping @Sendable (EffectContext<Action>) async throws -> Void,
        _ context: EffectContext<Action>, _ policy: EffectPolicy
    ) async throws {
        if let debounce = policy.debounce { try await context.sleep(for: debounce) }
        let attempts = Attempts(
            retries: policy.retries, backoff: policy.backoff, timeout: policy.timeout,
            wait: { try await context.sleep(for: $0) })
        try await attempts.run { _ in try await operation(context) }
    }
}
