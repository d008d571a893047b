package import Redux

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
