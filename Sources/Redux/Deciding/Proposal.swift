/// Actions on their way to the reducer, of which all are taken or none: from outside, or caused by an
/// entry.
final class IncomingAction<Action: Sendable>: Sendable {
    let actions: [Action]
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
/// Its entries are committed together, once the journal has them.
///
/// It is an object, as is an incoming action: in code that is compiled for all types, a value with a
/// state in it costs a look-up of its type wherever it is copied.
@usableFromInline
final class Proposal<State: Sendable & Equatable, Action: Sendable> {
    /// Waits in place of an action, and sends it; a later one of its name takes its place.
    typealias DelayedEffect = (effect: Effect<Action>, cause: Cause)

    let incoming: IncomingAction<Action>
    /// The last version that was decided before.
    let baseVersion: UInt64
    /// The time at which it is decided; nil: that at which the reducer asks.
    var time: Timestamp?
    /// The number of its last entry, or of the last one before.
    private(set) var version: UInt64
    /// The number of the last entry that changed the state; 0: none did.
    private var lastChange: UInt64 = 0
    private(set) var entries: [Entry] = []
    /// The actions as the reducer saw them, one for each entry; none where the state was set by hand.
    var actions: [Action] = []
    /// The state after the last entry. Nobody sees a state between them, so that a batch of a thousand
    /// keeps one state.
    private(set) var state: State
    /// The outcome of each action that was decided.
    var outcomes: [Outcome] = []
    /// All of it was rejected, or not kept.
    private(set) var refusal: Outcome?
    /// Begin with the commit, or at once where nothing is to be committed.
    var delayed: [DelayedEffect]?
    /// The one that was decided next, while both wait for their commits.
    var next: Proposal?

    init(_ incoming: IncomingAction<Action>, on state: State, version: UInt64) {
        self.incoming = incoming
        self.state = state
        time = incoming.at
        baseVersion = version
        self.version = version
    }

    var isEmpty: Bool { version == baseVersion }
    @usableFromInline var count: Int { Int(version - baseVersion) }
    @usableFromInline var isCaused: Bool { incoming.cause != nil }
    var changed: Bool { lastChange > baseVersion }

    /// The outcome of the entries behind a version.
    func accepted(behind version: UInt64) -> Outcome {
        .accepted(first: version + 1, last: self.version, changed: lastChange > version)
    }

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

    /// The outcomes that a journal remembers for the sender.
    @usableFromInline var toldOutcomes: [Outcome] {
        incoming.isBatch && !isCaused ? outcomes : []
    }

    var list: [(entry: Entry, action: Action?)] {
        entries.indices.map { (entries[$0], actions.isEmpty ? nil : actions[$0]) }
    }

    /// Adds the entry that a step stands for, and the state that came of it.
    func add(_ step: Step, _ next: State, changed: Bool) {
        version = step.version
        if changed { lastChange = version }
        state = next
        entries.append(Entry(step, origin: incoming.origin, changed: changed))
    }

    /// Forgets its entries, and what was to begin with them.
    func refuse(_ outcome: Outcome) {
        refusal = outcome
        version = baseVersion
        entries = []
        actions = []
        delayed = nil
    }

    /// One of its entries as the cause of what comes of its commit.
    func cause(of entry: Entry) -> Cause {
        Cause(
            version: entry.version, origin: entry.origin, after: incoming.cause,
            in: incoming.chain)
    }
}
