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
