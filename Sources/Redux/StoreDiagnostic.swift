/// The news of a store that are no part of its state.
public enum StoreDiagnostic: Sendable, Hashable {
    /// A chain of caused actions was longer than the limit and was cut, or its root caused more
    /// actions than the limit; the versions in the chain, the newest last.
    case chainCut(causes: [UInt64], limit: Int)
    /// An effect ended with an error.
    case effectFailed(name: String, error: String)
    /// An effect was not started because as many as allowed are running or queued.
    case effectsExhausted(name: String, limit: Int)
    /// An effect's action was rejected.
    case effectRejected(name: String, rejection: Rejection)
    /// An action that an observer, another callback or `Effect.send` dispatched on account of a
    /// version was rejected: no caller learns of it.
    case causedActionRejected(cause: UInt64, rejection: Rejection)
    /// An action that a version caused, or that an effect which it started has reported, could not be
    /// kept, and is lost.
    case causedActionLost(cause: UInt64)
    /// Work has something for operators.
    case work(WorkDiagnostic)
    /// A reducer did two different things with equal states and actions. Told only by a store that
    /// checks its reducer, as are the following.
    case impureReduction(version: UInt64, action: String, differences: [String])
    /// A reducer took longer than its budget.
    case slowReduction(version: UInt64, action: String, duration: Duration, budget: Duration)
    /// The state has grown beyond its budget; told again when it has been below it meanwhile.
    case largeState(version: UInt64, byteCount: Int, budget: Int)
}
