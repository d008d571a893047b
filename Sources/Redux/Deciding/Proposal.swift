/// Actions on their way to the reducer, of which all are taken or none: from outside, or caused by an
/// entry.
struct IncomingAction<Action: Sendable>: Sendable {
    var actions: [Action]
    /// The sender is told the outcome of each.
    var isBatch = false
    var origin: Origin
    /// The one who sent it; nil: the server itself.
    var by: Principal?
    /// The time at which it is decided; nil: that at which it is its turn.
    var at: Timestamp?
    var cause: Cause?
    /// The place among the interceptors where it goes on.
    var place: InterceptorPlace?
    /// The effect or the work that reported it.
    var effect: String?
    /// The run of the work that reported it, or of the alarm.
    var run: UInt64?
    /// The principal that caused the work which reported it; never an authority.
    var causer: Principal?
    /// The chain of causes in other sessions that has led to it.
    var chain: OuterChain?
}

/// One proposal: the entries that actions come to on top of the last decided state, or their refusal.
/// Its ledger has none of these before the journal has them.
struct Proposal<State: Sendable & Equatable, Action: Sendable> {
    let incoming: IncomingAction<Action>
    /// The last version that was decided before.
    let baseVersion: UInt64
    private let base: State
    /// The time at which it is decided; nil: that at which the reducer asks.
    var time: Timestamp?
    /// The state after its entries.
    private(set) var state: State
    private(set) var entries: [PendingEntry<State, Action>] = []
    /// The outcome of each action that was decided.
    var outcomes: [Outcome] = []
    /// All of it was rejected, or not kept.
    private(set) var refusal: Outcome?

    init(_ incoming: IncomingAction<Action>, on state: State, version: UInt64) {
        self.incoming = incoming
        self.state = state
        time = incoming.at
        base = state
        baseVersion = version
    }

    /// The number of its last entry, or of the last one before.
    var version: UInt64 { baseVersion + UInt64(entries.count) }

    /// What the sender of one action is told.
    var outcome: Outcome {
        refusal ?? (entries.isEmpty ? outcomes.last ?? .dropped : accepted(behind: baseVersion))
    }

    /// What the sender of several actions is told.
    var batchOutcome: BatchOutcome {
        switch refusal {
        case .rejected(let rejection): .rejected(index: outcomes.count, rejection)
        case .some: .refused
        case nil: .accepted(outcomes)
        }
    }

    /// The entries for a journal; nil where there are none.
    var staged: StagedEntries<State, Action>? {
        guard !entries.isEmpty else { return nil }
        return StagedEntries(
            version: version, changed: entries.contains { $0.entry.changed }, state: state,
            outcomes: incoming.isBatch && incoming.cause == nil ? outcomes : [],
            entries)
    }

    /// Forgets its entries.
    mutating func refuse(_ outcome: Outcome) {
        refusal = outcome
        entries = []
    }

    /// Adds an entry: an action as the reducer saw it, for which a step stands, and the state that
    /// came of it; nil: the state was set by hand.
    mutating func add(_ action: Action?, _ step: Step, _ next: State, changed: Bool) {
        if !entries.isEmpty {
            entries[entries.count - 1].isLast = false
            entries[entries.count - 1].state = base
        }
        state = next
        entries.append(
            PendingEntry(
                entry: Entry(
                    action, step, version: version + 1, origin: incoming.origin,
                    cause: incoming.cause?.version, changed: changed),
                cause: incoming.cause, chain: incoming.chain, state: next))
    }

    /// The outcome of the entries behind a version.
    func accepted(behind version: UInt64) -> Outcome {
        .accepted(
            first: version + 1, last: self.version,
            changed: entries.contains { $0.entry.version > version && $0.entry.changed })
    }
}
