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
            { issue in
                count.add(issue)
                return nil
            },
            in: { body(count) })
    }
}

/// The number of issues that were caught.
final class IssueCount: Sendable {
    private let issues = Lock((count: 0, last: ""))

    /// The number so far.
    var now: Int { issues.withLock { $0.count } }

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
}
