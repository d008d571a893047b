package import Redux

/// Consecutive entries of one session on their way into a journal.
package struct AppendBatch: Sendable {
    /// The right to append, as the session was opened.
    package var lease: Lease
    /// The version of the session's last entry before these: where the journal knows another one,
    /// the batch is refused, or stale.
    package var expected: UInt64
    /// The number of entries; the first has the version `expected + 1`.
    package var count: Int
    /// The receiver of an outcome that comes later.
    package var receiver: any AppendReceiver
    /// The name under which the receiver gets the outcome.
    package var ticket: UInt64

    /// A batch of at least one entry.
    package init(
        lease: Lease, expected: UInt64, count: Int, receiver: any AppendReceiver, ticket: UInt64
    ) {
        self.lease = lease
        self.expected = expected
        self.count = count
        self.receiver = receiver
        self.ticket = ticket
    }
}

/// One entry as bytes.
package struct EntryContent: Sendable, Hashable {
    /// The time at which the entry was decided; never before the entry before it.
    package var at: Timestamp
    /// A JSON object of everything but version, time and patch:
    /// `{"origin":"client","key":"8e03","print":"9f2c41d07be1a355","action":{"type":"reset"}}`.
    package var head: [UInt8]
    /// The RFC 6902 patch from the state before to the state after, or nil where nothing changed;
    /// a batch has one, on its last entry.
    package var patch: [UInt8]?

    /// An entry's bytes.
    package init(at: Timestamp, head: [UInt8], patch: [UInt8]?) {
        self.at = at
        self.head = head
        self.patch = patch
    }
}

/// The fate of a batch.
package enum AppendOutcome: Sendable, Hashable {
    /// The entries are as durable as the journal's mode promises.
    case kept
    /// The entries are not kept, for certain.
    case refused(JournalFailure)
    /// Another server has taken the session over.
    case stale
    /// The journal cannot say: the session has to be opened again, and what it then holds counts.
    case unknown
}

/// The outcome of one batch.
package struct TicketOutcome: Sendable, Hashable {
    /// The ticket of the batch.
    package var ticket: UInt64
    /// The fate of the batch.
    package var outcome: AppendOutcome

    /// The outcome of the batch that has this ticket.
    package init(_ ticket: UInt64, _ outcome: AppendOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}

/// The side of an event loop to which a journal reports.
package protocol AppendReceiver: AnyObject, Sendable {
    /// Takes the outcomes of batches, those of one commit in one call; from any thread.
    func appended(_ outcomes: [TicketOutcome])
}
