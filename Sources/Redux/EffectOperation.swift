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
    static let longestBackoff = Duration.seconds(3600)

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
        var backoff = policy.backoff
        var retries = policy.retries
        while true {
            do {
                return try await once(operation, context, policy.timeout)
            } catch {
                guard retries > 0, !Task.isCancelled else { throw error }
                retries -= 1
                try await context.sleep(for: backoff)
                backoff = min(backoff * 2, max(policy.backoff, longestBackoff))
            }
        }
    }

    private static func once<Action: Sendable>(
        _ operation: @escaping @Sendable (EffectContext<Action>) async throws -> Void,
        _ context: EffectContext<Action>, _ timeout: Duration?
    ) async throws {
        guard let timeout else { return try await operation(context) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await operation(context) }
            group.addTask {
                try await context.sleep(for: timeout)
                throw EffectTimedOut(duration: timeout)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
