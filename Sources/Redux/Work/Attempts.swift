/// The tries of an operation: each within its time, and again after an error.
struct Attempts: Sendable {
    /// Waits between two tries double up to here.
    static let longestBackoff = Duration.seconds(3600)

    /// The number of tries after the first one.
    let retries: Int
    /// The wait before the second try.
    let backoff: Duration
    /// The time that each try may take.
    let timeout: Duration?
    let wait: @Sendable (Duration) async throws -> Void
    /// Counts the tries, and may end them.
    var phase: WorkPhase?

    /// Tries until an operation returns; throws the error of the last try, or `TimedOut`.
    ///
    /// - Parameter operation: gets the number of the try, from 1.
    func run<Output: Sendable>(
        _ operation: @escaping @Sendable (_ attempt: Int) async throws -> Output
    ) async throws -> Output {
        var pause = backoff
        var attempt = 1
        while true {
            try phase?.begin(attempt)
            do {
                return try await once(attempt, operation)
            } catch {
                let goesOn = phase?.pause() ?? true
                guard attempt <= retries, !Task.isCancelled, goesOn else { throw error }
                attempt += 1
                try await wait(pause)
                pause = min(pause * 2, max(backoff, Self.longestBackoff))
            }
        }
    }

    private func once<Output: Sendable>(
        _ attempt: Int, _ operation: @escaping @Sendable (_ attempt: Int) async throws -> Output
    ) async throws -> Output {
        guard let timeout else { return try await operation(attempt) }
        return try await withThrowingTaskGroup(of: Output.self) { group in
            group.addTask { try await operation(attempt) }
            group.addTask { [wait] in
                try await wait(timeout)
                throw TimedOut(duration: timeout)
            }
            defer { group.cancelAll() }
            guard let output = try await group.next() else { throw CancellationError() }
            return output
        }
    }
}
