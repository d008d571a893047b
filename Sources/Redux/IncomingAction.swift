/// An action, or a batch, on its way to the reducer: from outside, or caused by an entry.
final class IncomingAction<Action: Sendable>: Sendable {
    /// The action, or the first one of a batch.
    let action: Action
    /// All actions of a batch, which are taken or not as one; nil for a single action.
    let batch: [Action]?
    let origin: Origin
    /// The one who sent it; nil: the server itself.
    let by: Principal?
    /// The time at which it is decided; nil: that at which it is its turn.
    let at: Timestamp?
    let cause: Cause?
    /// Interceptors before this one have seen it already.
    let firstInterceptor: Int
    /// The effect or the work that reported it.
    let effect: String?
    /// The chain of causes in other sessions that has led to it.
    let chain: OuterChain?
    /// The run of the work that reported it, or of the alarm.
    let run: UInt64?
    /// The principal that caused the work which reported it; never an authority.
    let causer: Principal?

    init(
        _ action: Action, batch: [Action]? = nil, origin: Origin, by: Principal?,
        at: Timestamp? = nil, cause: Cause? = nil, firstInterceptor: Int = 0,
        effect: String? = nil, run: UInt64? = nil, causer: Principal? = nil,
        chain: OuterChain? = nil
    ) {
        self.action = action
        self.batch = batch
        self.origin = origin
        self.by = by
        self.at = at
        self.cause = cause
        self.firstInterceptor = firstInterceptor
        self.effect = effect
        self.chain = chain
        self.run = run
        self.causer = causer
    }

    /// The number of its actions.
    var count: Int { batch?.count ?? 1 }

    /// The same, caused by an entry.
    func caused(by cause: Cause) -> IncomingAction {
        IncomingAction(
            action, batch: batch, origin: origin, by: by, cause: cause,
            firstInterceptor: firstInterceptor, effect: effect, run: run, causer: causer)
    }

    /// The diagnostic of an outcome that no caller learns of.
    func diagnostic(of outcome: Outcome) -> StoreDiagnostic? {
        guard let cause else { return nil }
        switch outcome {
        case .rejected(let rejection):
            if let effect { return .effectRejected(name: effect, rejection: rejection) }
            return .causedActionRejected(cause: cause.version, rejection: rejection)
        case .refused: return .causedActionLost(cause: cause.version)
        case .accepted, .dropped, .delayed, .queued: return nil
        }
    }
}
