package import Journaling

/// What a session says of itself.
extension Session {
    /// The path of its application: `/counter`, or nothing at the root.
    package var mountName: String { context.mounts[mount] }
    /// The committed version as clients see it.
    package var token: Token { Token(epoch: epoch, version: version) }
    /// The id and ETag of a projection: the token, and the suffix that tells it from others.
    package func tag(_ projection: Projection, at version: UInt64? = nil) -> [UInt8] {
        Token(epoch: epoch, version: version ?? self.version).bytes + projection.suffix.utf8
    }
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
}
