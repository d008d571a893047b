/// A report of a running effect, on its way back to the store that owns it.
struct EffectDelivery<Action: Sendable>: Sendable {
    /// The content of a report.
    enum Report: Sendable {
        /// An action to dispatch.
        case action(Action)
        /// It is over.
        case ended
        /// It is over, by an error.
        case failed(String)
    }

    /// The effect that reports.
    let effect: UInt64
    let report: Report
}
