package import Journaling

/// What a session says of itself.
extension Session {
    package var isReplay: Bool { actions == nil }

    /// Has `nextStep` submit the actions that effects have reported; not from within the store.
    package func submitCausedActions() { owesActions = true }

    /// The session has no watchers, no waiting requests and no work.
    package var isUnused: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && actions?.isIdle ?? true
    }

    /// It is not known what the journal has kept.
    package var isInDoubt: Bool { durability.phase == .undecided }

    /// The same, but that alarms may be set: the journal wakes the session for these.
    package var allowsSleep: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && actions?.allowsSleep ?? true
    }

    /// The journal has answered for a batch.
    func appended(_ outcome: TicketOutcome) {
        durability.appended(outcome.ticket, outcome.outcome)
    }

    /// The journal holds what memory holds as well: the session goes on from that.
    package func holds(_ opened: OpenedSession) -> Bool {
        opened.epoch == epoch && opened.document?.version == durability.committed
    }

    /// The journal is told what is being reduced: where that ends the process, it is known.
    func noteReduction(to version: UInt64?) {
        context.journal.reduces(appendRight, to: version, on: context.loopIndex)
    }
}
