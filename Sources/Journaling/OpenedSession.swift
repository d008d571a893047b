package import Redux

/// A session as a journal hands it over.
package struct OpenedSession: Sendable {
    /// The right to append to it.
    package var lease: Lease
    /// The first part of its tokens.
    package var epoch: String
    /// The time at which it was made.
    package var created: Timestamp
    /// Its state; nil where this opening has made it, and the caller has its state.
    package var document: StoredDocument?
    /// The idempotency keys of its entries that still count, the oldest first.
    package var keys: [KeptKey]

    /// A session that a journal hands over.
    package init(
        lease: Lease, epoch: String, created: Timestamp, document: StoredDocument?,
        keys: [KeptKey] = []
    ) {
        self.lease = lease
        self.epoch = epoch
        self.created = created
        self.document = document
        self.keys = keys
    }
}
