public import Redux
public import StateCoding

/// An idempotency key that stands in a kept entry, with what its first answer is computed from.
public struct KeptKey: Sendable, Hashable {
    /// A keyed hash of it and its principal, which no client can choose.
    public var key: UInt128
    /// A keyed hash of the body; its lowest 16 bits are the print of the client into whose share of a
    /// session's keys it counts.
    public var print: UInt128
    /// The time at which its entries were decided.
    public var at: Timestamp
    /// The version of its first entry.
    public var first: UInt64
    /// The version of its last entry.
    public var last: UInt64
    /// One entry of it changed the state.
    public var changed: Bool
    /// The outcomes of its actions as `batch` of the entry's head has them; nil for one action.
    public var batch: [UInt8]?

    /// A key as it stands in an entry.
    public init(
        key: UInt128, print: UInt128, at: Timestamp, first: UInt64, last: UInt64, changed: Bool,
        batch: [UInt8]? = nil
    ) {
        self.key = key
        self.print = print
        self.at = at
        self.first = first
        self.last = last
        self.changed = changed
        self.batch = batch
    }
}

extension KeptKey {
    /// The key in the last entry of a batch, if it has one.
    ///
    /// - Parameters:
    ///   - first: the version of the batch's first entry.
    ///   - hash: the journal's.
    public init?(
        in entry: EncodedEntry, first: UInt64, by hash: KeyedHash
    ) throws(DecodingFailure) {
        guard let print = entry.print else { return nil }
        let head = try JSONValue(parsing: entry.head.span)
        guard let key = head["key"]?.string else { return nil }
        self.init(
            key: hash.hash(ofKey: key, of: head["by"]?["id"]?.string ?? ""), print: print,
            at: entry.at, first: first, last: entry.version,
            changed: entry.patch != nil || entry.secrets != nil,
            batch: head["batch"]?.string.map { Array($0.utf8) })
    }
}
