import Synchronization

/// One run of a piece of work that has a task. Its tries are seen from the task and from the session: a
/// run that is asked to finish has no further one.
final class WorkRun<Action: Sendable>: Sendable {
    /// Waits between two tries double up to here.
    static var longestBackoff: Duration { .seconds(3600) }

    /// Tells runs apart: each start has one of its own, so that reports of earlier ones are dropped.
    let id: UInt64
    let operation: WorkOperation<Action>
    /// The wait before the first try.
    let delay: Duration
    let key: String
    /// The entry that wanted it first.
    let cause: Cause
    /// The lowest bit: it was asked to finish; the next one: a try is under way; above them stands the
    /// number of the try.
    private let phase = Atomic(0)

    init(
        id: UInt64, _ operation: WorkOperation<Action>, delay: Duration, key: String, cause: Cause
    ) {
        self.id = id
        self.operation = operation
        self.delay = delay
        self.key = key
        self.cause = cause
    }

    /// The number of the present try; 0 before the first one.
    var attempt: Int { phase.load(ordering: .relaxed) >> 2 }

    /// Begins a try; throws where the run was asked to finish.
    private func begin(_ attempt: Int) throws {
        let seen = phase.load(ordering: .relaxed)
        let isBegun = phase.compareExchange(
            expected: seen & ~1, desired: attempt << 2 | 2, ordering: .acquiringAndReleasing
        ).exchanged
        guard isBegun else { throw CancellationError() }
    }

    /// Ends a try that has failed; false where it was the last one.
    private func endTry() -> Bool {
        phase.bitwiseAnd(~2, ordering: .acquiringAndReleasing).newValue & 1 == 0
    }

    /// Lets the present try be the last one; true where none is under way.
    func finish() -> Bool { phase.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 2 == 0 }

    /// Waits, tries and tries again as the policy says; answers with the end of the run.
    func perform(
        in environment: Environment,
        _ context: @escaping @Sendable (_ attempt: Int) -> WorkContext<Action>
    ) async -> StoreDelivery<Action>.Content {
        do {
            if delay > .zero { try await environment.sleep(for: delay) }
            return .ended(try await lastTry(in: environment, context))
        } catch {
            guard !Task.isCancelled else { return .ended(nil) }
            let problem = error as? Problem ?? (error is TimedOut ? .timedOut : .failed)
            let action = operation.failure?(problem)
            // A problem that is reported as it is leaves nothing to tell.
            let isTold = action != nil && error is Problem
            return .ended(action, error: isTold ? nil : String(describing: error))
        }
    }

    /// Tries until the operation returns; throws the error of the last try, or `TimedOut`.
    private func lastTry(
        in environment: Environment,
        _ context: @escaping @Sendable (_ attempt: Int) -> WorkContext<Action>
    ) async throws -> Action? {
        let (retries, backoff) = (operation.policy.retries, operation.policy.backoff)
        var pause = backoff
        var attempt = 1
        while true {
            try begin(attempt)
            do {
                return try await once(context(attempt), environment)
            } catch {
                guard endTry(), attempt <= retries, !Task.isCancelled else { throw error }
                attempt += 1
                try await environment.sleep(for: pause)
                pause = min(pause * 2, max(backoff, Self.longestBackoff))
            }
        }
    }

    private func once(
        _ context: WorkContext<Action>, _ environment: Environment
    ) async throws -> Action? {
        guard let timeout = operation.timeout else { return try await operation.run(context) }
        return try await withThrowingTaskGroup(of: Action?.self) { group in
            group.addTask { [operation] in try await operation.run(context) }
            group.addTask {
                try await environment.sleep(for: timeout)
                throw TimedOut(duration: timeout)
            }
            defer { group.cancelAll() }
            guard let output = try await group.next() else { throw CancellationError() }
            return output
        }
    }
}

/// A try has taken longer than its work may.
struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time that it was allowed to take.
    let duration: Duration

    /// For operators.
    var description: String { "timed out after \(duration)" }
}
