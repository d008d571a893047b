import Sockets
import Testing

/// Issues that are caught before they are recorded.
enum CaughtIssues {
    /// Runs a body, with each issue of it changed, or dropped where that answers nil.
    ///
    /// Testing catches issues in asynchronous functions alone. So the body is one, which runs here
    /// and now, on this thread.
    static func change(
        _ transform: @escaping @Sendable (Issue) -> Issue?, in body: @escaping @Sendable () -> Void
    ) {
        // Outside of a test nothing records issues.
        guard let test = Test.current else { return body() }
        let hasRun = Lock(false)
        let executor = ManualExecutor()
        let trait: IssueHandlingTrait = .compactMapIssues(transform)
        let task = Task(executorPreference: executor) {
            try? await trait.provideScope(for: test, testCase: Test.Case.current) {
                hasRun.withLock { $0 = true }
                body()
            }
        }
        while executor.runNext() {}
        task.cancel()
        precondition(hasRun.withLock { $0 }, "Testing runs the body within the task.")
    }

    /// Runs a body, and drops its issues; the body is told how many there were so far.
    static func count(in body: @escaping @Sendable (IssueCount) -> Void) {
        let count = IssueCount()
        change(
            { _ in
                count.add()
                return nil
            },
            in: { body(count) })
    }
}

/// The number of issues that were caught.
final class IssueCount: Sendable {
    private let count = Lock(0)

    /// The number so far.
    var now: Int { count.withLock { $0 } }

    func add() {
        count.withLock { $0 += 1 }
    }
}
