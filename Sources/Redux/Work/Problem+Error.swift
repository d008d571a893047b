extension Problem {
    /// The problem that clients are shown for an error: itself, if it is one, `timed-out`, or
    /// `failed`.
    init(for error: any Error) {
        self =
            switch error {
            case let problem as Problem: problem
            case is TimedOut: .timedOut
            default: .failed
            }
    }
}
