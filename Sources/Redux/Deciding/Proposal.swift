/// What is known of actions on their way to the reducer, of which all are taken or none. It does not know
/// the type of the actions, for the same reason as an entry.
struct Arrival: Sendable {
    var origin: Origin
    /// The one who sent them; nil: the server itself.
    var by: Principal?
    /// The time at which they are decided; nil: that at which it is their turn.
    var at: Timestamp?
    /// The sender is told the outcome of each.
    var isBatch = false
    /// Each state is compared with the one before it. Otherwise all of them are reduced in one, which
    /// is compared once, and each action counts as a change where the batch is one.
    var comparesEach = true
    /// The entry that caused them; nil: they come from outside.
    var cause: Cause?
    /// The interceptor that has delayed it: it goes on behind it.
    var delayer: (index: Int, name: String)?
    /// The effect or the work that reported it.
    var effect: String?
    /// The run of the work that reported it, or of the alarm.
    var run: UInt64?
    /// That run, or alarm, reports nothing more.
    var endsRun = false
    /// The principal that caused the work which reported it; never an authority.
    var causer: Principal?
    /// The chain of causes in other sessions that has led to them.
    var chain: OuterChain?
}

/// One proposal: the entries that actions come to on top of the last decided state, or their refusal.
/// Its entries are committed together, once the journal has them.
///
/// It is an object: in code that is compiled for all types, a value with a state in it costs a look-up of
/// its type wherever it is copied.
@usableFromInline
final class Proposal<State: Sendable & Equatable, Action: Sendable> {
    /// Waits in place of an action, and sends it; a later one of its name takes its place, as it has
    /// taken that of so many before it in the proposal.
    typealias DelayedEffect = (effect: Effect<Action>, cause: Cause, replacedCount: Int)

    let arrival: Arrival
    /// The actions that have come.
    let sent: [Action]
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
    var state: State
    /// The outcome of each action that was decided.
    var outcomes: [Outcome] = []
    /// All of it was rejected, or not kept.
    private(set) var refusal: Outcome?
    /// Begin with the commit, or at once where nothing is to be committed.
    var delayed: [DelayedEffect]?
    /// The one that was decided next, while both wait for their commits.
    var next: Proposal?

    init(_ sent: [Action], _ arrival: Arrival, on state: State, version: UInt64) {
        self.arrival = arrival
        self.sent = sent
        self.state = state
        time = arrival.at
        baseVersion = version
        self.version = version
    }

    var isEmpty: Bool { version == baseVersion }
    @usableFromInline var count: Int { Int(version - baseVersion) }
    @usableFromInline var isCaused: Bool { arrival.cause != nil }
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
        arrival.isBatch && !isCaused ? outcomes : []
    }

    @usableFromInline var list: [(entry: Entry, action: Action?)] {
        entries.indices.map { (entries[$0], actions.isEmpty ? nil : actions[$0]) }
    }

    /// Adds the entry that a step stands for, and the state that came of it.
    func add(_ step: Step, _ next: State, changed: Bool) {
        state = next
        add(step, changed: changed)
    }

    /// Adds the entry that a step stands for, which has led to the state.
    func add(_ step: Step, changed: Bool) {
        version = step.version
        if changed { lastChange = version }
        entries.append(Entry(step, origin: arrival.origin, changed: changed))
    }

    /// None of its entries has changed anything.
    func noteUnchanged() {
        lastChange = 0
        for index in entries.indices { entries[index].changed = false }
        for index in outcomes.indices {
            guard case .accepted(let first, let last, _) = outcomes[index] else { continue }
            outcomes[index] = .accepted(first: first, last: last, changed: false)
        }
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
            version: entry.version, origin: entry.origin, after: arrival.cause,
            in: arrival.chain)
    }
}
