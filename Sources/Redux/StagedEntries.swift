/// A journal's answer, at once, to entries that are handed over to it.
public enum Keeping: Sendable, Hashable {
    /// They are kept: the store commits them before it goes on.
    case kept
    /// The answer comes later: the entries stay pending until `commit(through:)` or `revert()`.
    case later
    /// They are not kept: the store forgets them, and nothing has changed.
    case refused
}

/// One entry that the reducer has made and nobody has seen yet.
public struct StagedEntry<Action: Sendable>: Sendable {
    /// The number that it will have.
    public let version: UInt64
    /// The action as the reducer saw it.
    public let action: Action
    /// The source of the action.
    public let origin: Origin
    /// The version that started the effect which reported it, or whose commit dispatched it.
    public let cause: UInt64?
    /// The state differs from the one before it.
    public let changed: Bool
}

/// Consecutive entries that are kept all or none, and the state behind the last of them.
public struct StagedEntries<State: Sendable, Action: Sendable> {
    @usableFromInline
    enum Content {
        case one(Action, Origin, changed: Bool)
        case entry(PendingEntry<State, Action>)
        case several([PendingEntry<State, Action>])
    }

    /// The version of the last entry.
    public let version: UInt64
    /// The number of entries, at least one.
    public let count: Int
    /// The state after the last entry.
    public let state: State
    /// For a batch, the outcome of each of its actions; empty for one action.
    public let outcomes: [Outcome]
    @usableFromInline let content: Content

    @inlinable
    init(
        _ action: Action, _ origin: Origin, version: UInt64, changed: Bool, state: State
    ) {
        self.version = version
        self.state = state
        count = 1
        outcomes = []
        content = .one(action, origin, changed: changed)
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

    init(_ entry: PendingEntry<State, Action>, state: State) {
        version = entry.version
        self.state = state
        count = 1
        outcomes = []
        content = .entry(entry)
    }

    /// Another entry caused these; an action that comes from outside has no cause.
    @inlinable public var isCaused: Bool {
        switch content {
        case .one: false
        case .entry(let entry): entry.isCaused
        case .several(let pending): pending[0].isCaused
        }
    }

    /// The state after the last entry differs from the one before the first, or did in between.
    public var changed: Bool {
        switch content {
        case .one(_, _, let changed): changed
        case .entry(let entry): entry.changed
        case .several(let pending): pending.contains { $0.changed }
        }
    }

    /// The entries in their order.
    public var entries: [StagedEntry<Action>] {
        switch content {
        case .one(let action, let origin, let changed):
            [
                StagedEntry(
                    version: version, action: action, origin: origin, cause: nil, changed: changed)
            ]
        case .entry(let entry): [StagedEntry(entry)]
        case .several(let pending): pending.map { StagedEntry($0) }
        }
    }
}

extension StagedEntry {
    init<State>(_ entry: PendingEntry<State, Action>) {
        self.init(
            version: entry.version, action: entry.action, origin: entry.origin,
            cause: entry.cause?.version, changed: entry.changed)
    }
}
