/// Consecutive entries that are kept all or none, and the state behind the last of them. A journal
/// looks at them before it answers, and not later.
@usableFromInline
package struct StagedEntries<State: Sendable, Action: Sendable> {
    @usableFromInline
    enum Content {
        /// An entry that is made where it is asked for.
        case one(Action, Origin, changed: Bool, Step)
        case decided([PendingEntry<State, Action>])
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
    init(_ pending: [PendingEntry<State, Action>], _ outcomes: [Outcome] = [], state: State) {
        precondition(!pending.isEmpty, "A journal is handed at least one entry.")
        version = pending[pending.count - 1].version
        count = pending.count
        self.state = state
        self.outcomes = outcomes
        content = .decided(pending)
    }

    /// Another entry caused these; an action that comes from outside has no cause.
    @inlinable package var isCaused: Bool {
        switch content {
        case .one: false
        case .decided(let pending): pending[0].isCaused
        }
    }

    /// The state after the last entry differs from the one before the first, or did in between.
    package var changed: Bool {
        switch content {
        case .one(_, _, let changed, _): changed
        case .decided(let pending): pending.contains { $0.changed }
        }
    }

    /// The entries in their order.
    package var entries: [Entry<Action>] {
        switch content {
        case .one(let action, let origin, let changed, let step):
            [
                Entry(
                    action, step, version: version, origin: origin, cause: nil, changed: changed)
            ]
        case .decided(let pending): pending.map(\.entry)
        }
    }
}
