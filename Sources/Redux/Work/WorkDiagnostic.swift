/// The news of works that are no part of the state.
public enum WorkDiagnostic: Sendable, Hashable {
    /// Two works of a state have one name: only the first one counts.
    case namedTwice(name: String)
    /// As many works as allowed are running: others wait.
    case exhausted(limit: Int)
    /// Work has ended with an error, and has no action that says so.
    case failed(name: String, error: String)
    /// Work has ended with an error, and has reported it as a problem that does not tell it.
    case problemReported(name: String, error: String)
    /// An alarm has come so many times, and the state still wants it.
    case alarmRepeats(name: String, count: Int)
}
