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
        /// `{"type":"added","payload":"milk","meta":{"tab":3}}`
        var action: [UInt8]

        package init(
            version: UInt64, origin: Origin, cause: UInt64?, changed: Bool, action: [UInt8]
        ) {
            self.version = version
            self.origin = origin
            self.cause = cause
            self.changed = changed
            self.action = action
        }
    }

    var entries: [Entry]
    /// The state behind the last entry; nil where no entry changed it.
    var state: [UInt8]?

    package init(_ entries: [Entry], state: [UInt8]?) {
        self.entries = entries
        self.state = state
    }
}
