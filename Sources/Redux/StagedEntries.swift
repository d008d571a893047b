/// Consecutive entries that are kept all or none, and the state behind the last of them. A journal
/// looks at them before it answers, and not later.
@usableFromInline
package struct StagedEntries<State: Sendable, Action: Sendable> {
    @usableFromInline
    enum Content {
        case one(Action, Origin, changed: Bool, Step)
        case entry(PendingEntry<State, Action>)
        case several([PendingEntry<State, Action>])
    }

    /// The version of the last entry.
    @usableFromInline package let version: UInt64
    /// The number of entries, at least one.
    @usableFromInline package let count: Int
    /// The state after the last entry.
    @usableFromInline package let state: State
    /// For a batch, the outcome of each of its actions; empty for one action.
    @usableFromInline package let outcomes: [Outcome]
    @usableFromInline let content: Content

    @inlinable
    init(
        _ action: Action, _ origin: Origin, _ step: Step, version: UInt64, changed: Bool,
        state: State
    ) {
        self.version = version
        self.state = state
        count = 1
        outcomes = []
        content = .one(action, origin, changed: changed, step)
    }

    /// Entries that were decided together: one at least.
    init(_ pending: [PendingEntry<State, Action>], _ outcomes: [Outcome], state: State) {
        precondition(!pending.isEmpty, "A journal is handed at least one entry.")
        version = pending[pending.count - 1].version
        count = pending.count
        self.state = state
        self.outcomes = outcomes
        content = .several(pending)
    }

    // By itself, it would look its type up once more.
    @inline(__always)
    init(_ entry: PendingEntry<State, Action>, state: State) {
        version = entry.version
        self.state = state
        count = 1
        outcomes = []
        content = .entry(entry)
    }

    /// Another entry caused these; an action that comes from outside has no cause.
    @inlinable package var isCaused: Bool {
        switch content {
        case .one: false
        case .entry(let entry): entry.isCaused
        case .several(let pending): pending[0].isCaused
        }
    }

    /// The state after the last entry differs from the one before the first, or did in between.
    package var changed: Bool {
        switch content {
        case .one(_, _, let changed, _): changed
        case .entry(let entry): entry.changed
        case .several(let pending): pending.contains { $0.changed }
        }
    }

    /// The one who has set the state by hand, and when; nil for entries of actions.
    package var replacement: (by: Principal?, at: Timestamp)? {
        guard case .entry(let entry) = content, entry.action == nil else { return nil }
        return (entry.record.by, entry.record.at)
    }

    /// The entries of actions in their order.
    package var entries: [StagedEntry<Action>] {
        switch content {
        case .one(let action, let origin, let changed, let step):
            [
                StagedEntry(
                    version: version, action: action, origin: origin, cause: nil, changed: changed,
                    record: step.record)
            ]
        case .entry(let entry): [StagedEntry(entry)].compactMap { $0 }
        case .several(let pending): pending.compactMap { StagedEntry($0) }
        }
    }
}
