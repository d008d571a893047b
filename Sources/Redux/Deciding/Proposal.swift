/// Actions on their way to the reducer, of which all are taken or none: from outside, or caused by an
/// entry.
final class IncomingAction<Action: Sendable>: Sendable {
    let actions: [Action]
    /// The number of its actions.
    let count: Int
    /// The sender is told the outcome of each.
    let isBatch: Bool
    let origin: Origin
    /// The one who sent it; nil: the server itself.
    let by: Principal?
    /// The time at which it is decided; nil: that at which it is its turn.
    let at: Timestamp?
    let cause: Cause?
    /// The place among the interceptors where it goes on.
    let place: InterceptorPlace?
    /// The effect or the work that reported it.
    let effect: String?
    /// The run of the work that reported it, or of the alarm.
    let run: UInt64?
    /// The principal that caused the work which reported it; never an authority.
    let causer: Principal?
    /// The chain of causes in other sessions that has led to it.
    let chain: OuterChain?

    init(
        _ actions: [Action], isBatch: Bool = false, origin: Origin, by: Principal? = nil,
        at: Timestamp? = nil, cause: Cause? = nil, place: InterceptorPlace? = nil,
        effect: String? = nil, run: UInt64? = nil, causer: Principal? = nil,
        chain: OuterChain? = nil
    ) {
        self.actions = actions
        count = actions.count
        self.isBatch = isBatch
        self.origin = origin
        self.by = by
        self.at = at
        self.cause = cause
        self.place = place
        self.effect = effect
        self.run = run
        self.causer = causer
        self.chain = chain
    }

    /// The same, dispatched on account of an entry.
    func caused(by cause: Cause) -> IncomingAction {
        IncomingAction(actions, isBatch: isBatch, origin: origin, by: by, cause: cause)
    }
}

/// One proposal: the entries that actions come to on top of the last decided state, or their refusal.
/// Its ledger has none of these before the journal has them.
final class Proposal<State: Sendable & Equatable, Action: Sendable> {
    let incoming: IncomingAction<Action>
    /// The last version that was decided before.
    let baseVersion: UInt64
    /// The number of its last entry, or of the last one before.
    private(set) var version: UInt64
    /// The number of the last entry that changed the state; 0: none did.
    private var lastChange: UInt64 = 0
    /// The time at which it is decided; nil: that at which the reducer asks.
    var time: Timestamp?
    private(set) var entries = PendingEntries<State, Action>()
    /// The outcome of each action that was decided.
    var outcomes: [Outcome] = []
    /// All of it was rejected, or not kept.
    private(set) var refusal: Outcome?
    private let base: State
    /// The state after its entries.
    private(set) var state: State

    init(_ incoming: IncomingAction<Action>, on state: State, version: UInt64) {
        self.incoming = incoming
        self.state = state
        time = incoming.at
        base = state
        baseVersion = version
        self.version = version
    }

    var isEmpty: Bool { version == baseVersion }

    /// What the sender of one action is told.
    var outcome: Outcome {
        refusal ?? (isEmpty ? outcomes.last ?? .dropped : accepted(behind: baseVersion))
    }

    /// What the sender of several actions is told.
    var batchOutcome: BatchOutcome {
        switch refusal {
        case .rejected(let rejection): .rejected(index: outcomes.count, rejection)
        case .some: .refused
        case nil: .accepted(outcomes)
        }
    }

    /// Hands the entries over to a journal; nil where there are none.
    func handOver(to keep: (StagedEntries<State, Action>) -> Keeping) -> Keeping? {
        guard !isEmpty else { return nil }
        let isToldEach = incoming.isBatch && incoming.cause == nil
        return keep(
            StagedEntries(
                version: version, changed: lastChange > baseVersion, state: state,
                outcomes: isToldEach ? outcomes : [], .decided(entries.list)))
    }

    /// Takes its first entry.
    func popEntry() -> PendingEntry<State, Action>? { entries.popFirst() }

    /// Forgets its entries.
    func refuse(_ outcome: Outcome) {
        refusal = outcome
        version = baseVersion
        while entries.popFirst() != nil {}
    }

    /// Adds an entry: an action as the reducer saw it, for which a step stands, and the state that
    /// came of it; nil: the state was set by hand.
    func add(_ action: Action?, _ step: Step, _ next: State, changed: Bool) {
        if let last = entries.last {
            last.isLast = false
            last.state = base
        }
        version += 1
        if changed { lastChange = version }
        state = next
        let entry = Entry(
            action, step, version: version, origin: incoming.origin,
            cause: incoming.cause?.version, changed: changed)
        entries.append(
            PendingEntry(entry, cause: incoming.cause, chain: incoming.chain, state: next))
    }

    /// The outcome of the entries behind a version.
    func accepted(behind version: UInt64) -> Outcome {
        .accepted(first: version + 1, last: self.version, changed: lastChange > version)
    }
}
