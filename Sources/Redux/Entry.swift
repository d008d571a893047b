/// One entry: an action as the reducer saw it, and what the reducer has to be given so that it does the
/// same again. The bytes of an action stand for it where types are not known.
@usableFromInline
package struct Entry<Action: Sendable>: Sendable {
    /// The number that it has, or will have.
    package let version: UInt64
    /// The source of the action.
    package let origin: Origin
    /// The version that started the effect which reported the action, or whose commit dispatched it.
    package let cause: UInt64?
    /// The state differs from the one before it.
    package let changed: Bool
    /// The one who sent the action; nil where the server itself did.
    package let by: Principal?
    /// The time at which it was decided.
    package let at: Timestamp
    /// The bits that its random numbers came from, where the reducer drew any.
    package let seed: Seed?
    /// The ids that it made, where these do not follow from its token.
    let ids: [String]
    /// Nil where the state was set by hand. The last property: the places of the others do not depend
    /// on its type.
    package let action: Action?

    /// An entry as others tell it.
    package init(
        _ action: Action?, version: UInt64, origin: Origin, cause: UInt64? = nil, changed: Bool,
        by: Principal?, at: Timestamp, seed: Seed? = nil, ids: [String] = []
    ) {
        self.version = version
        self.origin = origin
        self.cause = cause
        self.changed = changed
        self.by = by
        self.at = at
        self.seed = seed
        self.ids = ids
        self.action = action
    }

    /// The entry that a step stands for, once the reducer has run.
    init(
        _ action: Action?, _ step: Step, version: UInt64, origin: Origin, cause: UInt64? = nil,
        changed: Bool
    ) {
        self.init(
            action, version: version, origin: origin, cause: cause, changed: changed, by: step.by,
            at: step.at, seed: step.seed, ids: step.ids)
    }

    /// The entry with its action in another form.
    package func map<Other: Sendable, Failure: Error>(
        _ transform: (Action) throws(Failure) -> Other
    ) throws(Failure) -> Entry<Other> {
        Entry<Other>(
            try action.map(transform), version: version, origin: origin, cause: cause,
            changed: changed, by: by, at: at, seed: seed)
    }
}

/// An entry that is decided and not yet committed.
///
/// It is an object, as are an incoming action and a proposal: in code that is compiled for all types, a
/// value with a state in it costs a look-up of its type wherever it is copied, and an array of them
/// wherever it is used (110,000 instructions an action with middleware in place of 25,000).
@usableFromInline
final class PendingEntry<State: Sendable, Action: Sendable> {
    /// The entry that caused it; nil: it comes from outside.
    let cause: Cause?
    /// The chain of causes in other sessions that has led to it.
    let chain: OuterChain?
    /// The last of those that were decided together.
    var isLast = true
    /// The one that was decided next.
    var next: PendingEntry?
    let entry: Entry<Action>
    /// The state after the last of those that were decided together; of the others, the state before
    /// the first. Nobody sees a state between them, so that a batch of a thousand keeps one state.
    var state: State

    init(_ entry: Entry<Action>, cause: Cause? = nil, chain: OuterChain? = nil, state: State) {
        self.cause = cause
        self.chain = chain
        self.entry = entry
        self.state = state
    }

    var version: UInt64 { entry.version }

    @usableFromInline var isCaused: Bool { cause != nil }

    /// Itself, as the cause of what comes of its commit.
    var asCause: Cause {
        Cause(version: entry.version, origin: entry.origin, after: cause, in: chain)
    }
}

/// Decided entries in their order.
struct PendingEntries<State: Sendable, Action: Sendable> {
    private(set) var first: PendingEntry<State, Action>?
    private(set) var last: PendingEntry<State, Action>?
    private(set) var count = 0

    var list: [PendingEntry<State, Action>] {
        var list: [PendingEntry<State, Action>] = []
        forEach { list.append($0) }
        return list
    }

    func forEach(_ body: (PendingEntry<State, Action>) -> Void) {
        var next = first
        while let entry = next {
            body(entry)
            next = entry.next
        }
    }

    mutating func append(_ entry: PendingEntry<State, Action>) {
        if let last { last.next = entry } else { first = entry }
        last = entry
        count += 1
    }

    mutating func popFirst() -> PendingEntry<State, Action>? {
        guard let entry = first else { return nil }
        first = entry.next
        // One that goes must not take the others with it, one inside of the other.
        entry.next = nil
        if first == nil { last = nil }
        count -= 1
        return entry
    }
}

/// Consecutive entries that are kept all or none, and the state behind the last of them. A journal
/// looks at them before it answers, and not later.
@usableFromInline
package struct StagedEntries<State: Sendable, Action: Sendable> {
    @usableFromInline
    enum Content {
        /// An entry that is made where it is asked for.
        case one(Action, Origin, Step)
        case decided([PendingEntry<State, Action>])
    }

    /// The version of the last entry.
    @usableFromInline package let version: UInt64
    /// The state after the last entry differs from the one before the first, or did in between.
    @usableFromInline package let changed: Bool
    /// The state after the last entry.
    @usableFromInline package let state: State
    /// For a batch, the outcome of each of its actions; empty for one action.
    @usableFromInline package let outcomes: [Outcome]
    @usableFromInline let content: Content

    @inlinable
    init(
        version: UInt64, changed: Bool, state: State, outcomes: [Outcome] = [], _ content: Content
    ) {
        self.version = version
        self.changed = changed
        self.state = state
        self.outcomes = outcomes
        self.content = content
    }

    /// The number of entries, at least one.
    @inlinable package var count: Int {
        if case .decided(let pending) = content { pending.count } else { 1 }
    }

    /// Another entry caused these; an action that comes from outside has no cause.
    @inlinable package var isCaused: Bool {
        if case .decided(let pending) = content { pending[0].isCaused } else { false }
    }

    /// The entries in their order.
    package var entries: [Entry<Action>] {
        switch content {
        case .one(let action, let origin, let step):
            [Entry(action, step, version: version, origin: origin, changed: changed)]
        case .decided(let pending): pending.map { $0.entry }
        }
    }
}
