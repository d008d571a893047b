/// A report of a running effect, on its way back to the store that owns it.
public struct EffectDelivery<Action: Sendable>: Sendable {
    /// The content of a report.
    public enum Report: Sendable {
        /// An action to dispatch.
        case action(Action)
        /// It is over.
        case ended
        /// It is over, by an error that no retry is left for.
        case failed(String)
    }

    /// Which effect.
    let effect: UInt64
    /// The report.
    public let report: Report
}
