import Synchronization

/// One run of a piece of work that has a task.
struct WorkRun<Action: Sendable>: Sendable {
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
    /// Nothing has run under the name so far.
    let isFirst: Bool

    /// Waits, tries and tries again as the policy says; answers with the end of the run.
    func perform(
        in environment: Environment, _ phase: WorkPhase,
        _ context: @escaping @Sendable (_ attempt: Int) -> WorkContext<Action>
    ) async -> StoreDelivery<Action>.Content {
        do {
            if delay > .zero { try await environment.sleep(for: delay) }
            return .ended(try await lastTry(in: environment, phase, context))
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
        in environment: Environment, _ phase: WorkPhase,
        _ context: @escaping @Sendable (_ attempt: Int) -> WorkContext<Action>
    ) async throws -> Action? {
        let (retries, backoff) = (operation.policy.retries, operation.policy.backoff)
        var pause = backoff
        var attempt = 1
        while true {
            try phase.begin(attempt)
            do {
                return try await once(context(attempt), environment)
            } catch {
                guard phase.pause(), attempt <= retries, !Task.isCancelled else { throw error }
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
            group.addTask { try await operation.run(context) }
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

/// The try that a run is in, seen from its task and from the session: a run that is asked to finish
/// has no further try.
final class WorkPhase: Sendable {
    /// The lowest bit: the run was asked to finish; the next one: a try is under way; above them stands
    /// the number of the try.
    private let word = Atomic(0)

    /// The number of the present try; 0 before the first one.
    var attempt: Int { word.load(ordering: .relaxed) >> 2 }

    /// Begins a try; throws where the run was asked to finish.
    func begin(_ attempt: Int) throws {
        let seen = word.load(ordering: .relaxed)
        let isBegun = word.compareExchange(
            expected: seen & ~1, desired: attempt << 2 | 2, ordering: .acquiringAndReleasing
        ).exchanged
        guard isBegun else { throw CancellationError() }
    }

    /// Ends a try that has failed; false where it was the last one.
    @discardableResult
    func pause() -> Bool {
        word.bitwiseAnd(~2, ordering: .acquiringAndReleasing).newValue & 1 == 0
    }

    /// Lets the present try be the last one; true where none is under way.
    @discardableResult
    func finish() -> Bool { word.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 2 == 0 }
}

/// A try has taken longer than its work may.
struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time that it was allowed to take.
    let duration: Duration

    /// For operators.
    var description: String { "timed out after \(duration)" }
}
