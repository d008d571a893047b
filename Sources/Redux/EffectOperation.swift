/// Runs an operation as its policy says, in the task that the runner made for it.
enum EffectOperation {
    private struct TimedOut: Error, CustomStringConvertible {
        let duration: Duration
        var description: String { "timed out after \(duration)" }
    }

    static func run<Action: Sendable>(
        _ operation: @escaping @Sendable (EffectContext<Action>) async throws -> Void,
        _ context: EffectContext<Action>, _ policy: EffectPolicy
    ) async -> EffectDelivery<Action>.Report {
        do {
            if let debounce = policy.debounce { try await context.sleep(for: debounce) }
            var backoff = policy.backoff
            var retries = policy.retries
            while true {
                do {
                    try await once(operation, context, policy.timeout)
                    return .ended
                } catch let error where retries > 0 && !(error is CancellationError) {
                    retries -= 1
                    try await context.sleep(for: backoff)
                    backoff *= 2
                }
            }
        } catch is CancellationError {
            return .ended
        } catch {
            return .failed(String(describing: error))
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
                throw TimedOut(duration: timeout)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
