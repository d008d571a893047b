import HTTPServer

/// The check of one stream's client, which comes up again once a period until the stream has closed.
final class StreamCheck {
    /// A stream that is open, and the request that it answers.
    struct Subject {
        let watcher: StreamWatcher
        let request: AccessRequest
        let control: AccessControl
    }

    /// Nil once the stream has closed: while the check waits for its turn, it holds neither the session
    /// nor the request.
    private(set) var subject: Subject?
    private var checks: AccessChecks?

    init(_ subject: Subject, in checks: AccessChecks) {
        self.subject = subject
        self.checks = checks
    }

    var isOver: Bool { subject == nil }

    /// The stream has closed.
    func noteClosed() {
        guard let request = subject.take()?.request else { return }
        checks.take()?.noteClosed(request)
    }
}
