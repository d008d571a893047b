/// The rule for an effect that starts while others of its name have not ended.
public enum Overlap: Sendable, Hashable {
    /// It runs beside them.
    case concurrent
    /// They are cancelled: the latest wins.
    case latest
    /// They go on, and the new one is dropped.
    case keepRunning
    /// They go on, and the new one waits for their end.
    case queue
}
