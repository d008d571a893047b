import Sockets
import Testing

/// Issues that are caught before they are recorded.
final class CaughtIssues: Sendable {
    private let issues = Lock((count: 0, last: ""))

    /// The number so far.
    var count: Int { issues.withLock { $0.count } }

    func add(_ issue: Issue) {
        issues.withLock { $0 = ($0.count + 1, "\(issue)") }
    }

    /// The fault of an application that has recorded issues since there were so many.
    func fault(since count: Int) -> SequenceFault? {
        let (now, last) = issues.withLock { $0 }
        guard now > count else { return nil }
        return SequenceFault(
            kind: .recordedIssue, text: "The application records an issue: \(last)")
    }

    /// Runs a body, with each issue of it changed, or dropped where that answers nil.
    ///
    /// Testing catches issues in asynchronous functions alone. So the body is one, which runs here
    /// and now, on this thread.
    static func change<Result: Sendable>(
        _ transform: @escaping @Sendable (Issue) -> Issue?,
        in body: @escaping @Sendable () -> Result
    ) -> Result {
        // Outside of a test nothing records issues.
        guard let test = Test.current else { return body() }
        let result = Lock<Result?>(nil)
        let executor = ManualExecutor()
        let trait: IssueHandlingTrait = .compactMapIssues(transform)
        let task = Task(executorPreference: executor) {
            try? await trait.provideScope(for: test, testCase: Test.Case.current) {
                let value = body()
                result.withLock { $0 = value }
            }
        }
        while executor.runNext() {}
        task.cancel()
        guard let value = result.withLock({ $0 }) else {
            preconditionFailure("Testing runs the body within the task.")
        }
        return value
    }
}
