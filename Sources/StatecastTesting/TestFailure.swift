import Testing

/// The reason why a test's client did not get the answer or the value that it asked for.
public enum TestFailure: Error, CustomStringConvertible {
    /// The server refused the request, or answered it otherwise than expected.
    case refused(request: String, TestAnswer)
    /// The stream ended before the value came.
    case ended(latest: String)
    /// The value did not come in time.
    case timedOut(after: Duration, latest: String)
    /// The received text is no value of the type.
    case undecodable(String, reason: String)
    /// The application has no view of this name.
    case noView(String)
    /// The connection to the server failed.
    case connection(String)

    /// A sentence, with the answer or the value that came instead.
    public var description: String {
        switch self {
        case .refused(let request, let answer):
            "\(request) was answered with \(answer.status): \(answer.body)"
        case .ended(let latest):
            "The stream ended before the value came; the latest was \(latest)"
        case .timedOut(let patience, let latest):
            "The value did not come within \(patience); the latest was \(latest)"
        case .undecodable(let text, let reason):
            "This cannot be decoded (\(reason)): \(text)"
        case .noView(let name):
            "The application has no view called \"\(name)\""
        case .connection(let reason):
            "The connection to the server failed: \(reason)"
        }
    }
}

/// Has the test fail with a text.
func fail(_ text: String, _ sourceLocation: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}
