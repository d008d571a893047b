package import Redux

/// Entries as bytes.
@usableFromInline
package struct EncodedEntries {
    /// One of the entries.
    package struct Entry {
        var version: UInt64
        var origin: Origin
        var cause: UInt64?
        var changed: Bool
        /// The one who sent the action; nil where the server itself did.
        var by: Principal?
        var at: Timestamp
        /// The bits that the entry's random numbers came from, where there are any.
        var seed: Seed?
        /// `{"type":"added","payload":"milk","meta":{"tab":3}}`; nil for a state that was set by
        /// hand.
        var action: [UInt8]?

        package init(
            version: UInt64, origin: Origin, cause: UInt64?, changed: Bool, by: Principal?,
            at: Timestamp, seed: Seed?, action: [UInt8]?
        ) {
            self.version = version
            self.origin = origin
            self.cause = cause
            self.changed = changed
            self.by = by
            self.at = at
            self.seed = seed
            self.action = action
        }
    }

    var entries: [Entry]
    /// One of them has changed the state.
    var changed: Bool

    package init(_ entries: [Entry], changed: Bool) {
        self.entries = entries
        self.changed = changed
    }
}
