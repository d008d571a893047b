/// One proposal: the entries that an action, or a batch, comes to on top of the last decided state,
/// or its refusal. Its ledger has none of these before the journal has them.
final class Proposal<State: Sendable & Equatable, Action: Sendable> {
    let incoming: IncomingAction<Action>
    /// The last version that was decided before.
    let baseVersion: UInt64
    private let base: State
    /// The time at which it is decided; nil: that at which the reducer asks.
    var time: Timestamp?
    /// The state after its entries.
    private(set) var state: State
    private(set) var outcome = Outcome.dropped
    /// The outcome of each action of a batch.
    private var outcomes: [Outcome] = []
    private var last: PendingEntry<State, Action>?
    /// The entries before the last one; nil where it is the only one.
    private var earlier: [PendingEntry<State, Action>]?

    init(_ incoming: IncomingAction<Action>, on state: State, version: UInt64) {
        self.incoming = incoming
        self.state = state
        time = incoming.at
        base = state
        baseVersion = version
    }

    /// The number of its last entry, or of the last one before.
    var version: UInt64 { last?.version ?? baseVersion }
    var isEmpty: Bool { last == nil }

    /// Its entry, where it is one and no more.
    var onlyEntry: PendingEntry<State, Action>? { earlier == nil ? last : nil }

    func forEachEntry(_ body: (PendingEntry<State, Action>) -> Void) {
        if let earlier { for entry in earlier { body(entry) } }
        if let last { body(last) }
    }

    /// Hands the entries over to a journal; nil where there are none.
    func handOver(to keep: (StagedEntries<State, Action>) -> Keeping) -> Keeping? {
        guard let last else { return nil }
        let isCaused = incoming.cause != nil
        let entries = earlier.map { $0 + [last] } ?? [last]
        return keep(StagedEntries(entries, isCaused ? [] : outcomes, state: state))
    }

    /// The outcome of a batch.
    var batchOutcome: BatchOutcome {
        switch outcome {
        case .rejected(let rejection): .rejected(index: outcomes.count, rejection)
        case .refused: .refused
        case .accepted, .dropped, .delayed, .queued: .accepted(outcomes)
        }
    }

    /// Decides about each action in its turn; where one is rejected, all of them are.
    func run(_ decide: (Action) throws(Rejection) -> Outcome) {
        do throws(Rejection) {
            guard let batch = incoming.batch else {
                outcome = try decide(incoming.action)
                return
            }
            for action in batch { outcomes.append(try decide(action)) }
            outcome = isEmpty ? outcomes.last ?? .dropped : accepted(behind: baseVersion)
        } catch {
            refuse(.rejected(error))
        }
    }

    /// Forgets its entries.
    func refuse(_ outcome: Outcome) {
        self.outcome = outcome
        last = nil
        earlier = nil
    }

    /// Adds an entry of an action as the reducer sees it.
    ///
    /// - Parameters:
    ///   - step: stands for the action once the reducer has run.
    ///   - reduce: runs the reducer for an entry of a number, and tells whether the state differs.
    func add(
        _ action: Action, _ step: Step,
        _ reduce: (inout State, Action, UInt64) throws(Rejection) -> Bool
    ) throws(Rejection) {
        let version = version + 1
        let changed = try reduce(&state, action, version)
        if let before = last { addEarlier(before.followed(on: base)) }
        last = PendingEntry(
            Entry(
                action, step, version: version, origin: incoming.origin,
                cause: incoming.cause?.version, changed: changed),
            cause: incoming.cause, chain: incoming.chain, state: state)
    }

    private func addEarlier(_ entry: PendingEntry<State, Action>) {
        var entries = earlier.take() ?? []
        entries.append(entry)
        earlier = entries
    }

    /// The outcome of the entries behind a version.
    func accepted(behind version: UInt64) -> Outcome {
        var changed = last?.changed ?? false
        if let earlier {
            for entry in earlier where entry.version > version && entry.changed { changed = true }
        }
        return .accepted(first: version + 1, last: self.version, changed: changed)
    }
}
