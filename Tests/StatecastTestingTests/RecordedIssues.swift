import Synchronization
import Testing

@testable import StatecastTesting

/// The texts of the issues that a body records, which are not the test's.
func recordedIssues(_ body: @escaping @Sendable () -> Void) -> [String] {
    let texts = RecordedTexts()
    CaughtIssues.change({ issue in
        let comments = issue.comments.map(\.rawValue).joined()
        texts.all.withLock { $0.append("\(issue) \(comments)") }
        return nil
    }) {
        body()
    }
    return texts.all.withLock { $0 }
}

/// All of these texts in one.
func recordedText(_ body: @escaping @Sendable () -> Void) -> String {
    recordedIssues(body).joined(separator: "\n\n")
}

private final class RecordedTexts: Sendable {
    let all = Mutex<[String]>([])
}
