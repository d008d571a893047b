import Journaling

/// What a session says of itself.
extension Session {
    package var isReplay: Bool { actions == nil }

    /// Has `nextStep` submit the actions that effects have reported; not from within the store.
    package func submitCausedActions() { owesActions = true }

    /// The session has no watchers, no waiting requests and no work.
    package var isUnused: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && actions?.isIdle ?? true
    }

    /// The journal has the state in another form than it is written in today: an entry says so before
    /// anything is served, so that no token names two texts.
    package var needsMigration: Bool { frozen == nil && !logging.isFaithful(at: version) }

    /// It is not known what the journal has kept.
    package var isInDoubt: Bool { durability.phase == .undecided }

    /// The same, but that alarms may be set: the journal wakes the session for these.
    package var allowsSleep: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && actions?.allowsSleep ?? true
    }

    /// The journal is told what is being reduced: where that ends the process, it is known.
    func noteReduction(to version: UInt64?) {
        context.journal.reduces(appendRight, to: version, on: context.loopIndex)
    }
}
