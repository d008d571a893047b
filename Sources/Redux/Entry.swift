/// One entry: what the reducer has to be given beside the action so that it does the same again. It does
/// not know the type of the action, because in code that is compiled for all types, a value that does
/// costs a look-up of its own type wherever it is made or copied (300 instructions each).
@usableFromInline
package struct Entry: Sendable {
    /// The number that it has, or will have.
    @usableFromInline package let version: UInt64
    /// The source of the action.
    package let origin: Origin
    /// The version that started the effect which reported the action, or whose commit dispatched it.
    package internal(set) var cause: UInt64?
    /// The state differs from the one before it.
    package internal(set) var changed: Bool
    /// The one who sent the action; nil where the server itself did.
    package let by: Principal?
    /// The time at which it was decided.
    @usableFromInline package let at: Timestamp
    /// The bits that its random numbers came from, where the reducer drew any.
    package internal(set) var seed: Seed?
}

extension Entry {
    /// The entry that a step stands for, once the reducer has run.
    @usableFromInline init(_ step: Step, origin: Origin, changed: Bool) {
        self.init(
            version: step.version, origin: origin, cause: step.cause, changed: changed,
            by: step.by, at: step.at, seed: step.seed)
    }
}

/// Consecutive entries that are kept all or none, and the state behind the last of them. A journal
/// looks at them before it answers, and not later.
@usableFromInline
package struct StagedEntries<State: Sendable & Equatable, Action: Sendable> {
    @usableFromInline
    enum Content {
        /// An entry that is made where it is asked for.
        case one(Action, Origin, Step)
        case decided(Proposal<State, Action>)
    }

    /// The version of the last entry.
    @usableFromInline package let version: UInt64
    /// The state after the last entry differs from the one before the first, or did in between.
    @usableFromInline package let changed: Bool
    /// The state after the last entry.
    @usableFromInline package let state: State
    @usableFromInline let content: Content

    // By itself, it would look its type up once more (3 % of an action with middleware).
    @inlinable @inline(__always)
    init(version: UInt64, changed: Bool, state: State, _ content: Content) {
        self.version = version
        self.changed = changed
        self.state = state
        self.content = content
    }

    /// The number of entries, at least one; whether another entry caused these, as none has caused an
    /// action that comes from outside; and for a posted batch the outcome of each of its actions.
    @inlinable package var told: (count: Int, isCaused: Bool, outcomes: [Outcome]) {
        guard case .decided(let proposal) = content else { return (1, false, []) }
        return (proposal.count, proposal.isCaused, proposal.toldOutcomes)
    }

    /// The entries in their order, each with its action; nil where the state was set by hand.
    @inlinable package var entries: [(entry: Entry, action: Action?)] {
        switch content {
        case .one(let action, let origin, let step):
            [(Entry(step, origin: origin, changed: changed), action)]
        case .decided(let proposal): proposal.list
        }
    }
}
