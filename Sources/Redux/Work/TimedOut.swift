/// A try has taken longer than its work may.
struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time that it was allowed to take.
    let duration: Duration

    /// For operators.
    var description: String { "timed out after \(duration)" }
}
