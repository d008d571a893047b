public import Redux
public import StateCoding

/// A session's name in a journal.
public struct SessionName: Sendable, Hashable, CustomStringConvertible {
    /// The place of its application: `/counter`, or nothing for an application at the root.
    public let mount: String
    /// The session's id: `demo`.
    public let id: String

    /// The name of one application's session.
    public init(mount: String, id: String) {
        self.mount = mount
        self.id = id
    }

    /// `/counter/sessions/demo`
    public var description: String { "\(mount)/sessions/\(id)" }
}

/// The right to append to a session, until another server opens it.
public struct Lease: Sendable, Hashable {
    /// The journal's number for the session.
    public let session: Int64
    /// Counts the openings of the session.
    public let number: Int64

    /// A lease that a journal gives.
    public init(session: Int64, number: Int64) {
        self.session = session
        self.number = number
    }
}

/// The beginning of a session that a journal is to make.
public struct NewSession: Sendable {
    /// The first part of its tokens.
    public let epoch: String
    /// The time at which it was made.
    public let created: Timestamp
    /// Writes the initial state as JSON, for a journal that keeps it.
    public let document: @Sendable () throws(EncodingFailure) -> [UInt8]

    /// A session whose version 0 is the state that `document` writes.
    public init(
        epoch: String, created: Timestamp,
        document: @escaping @Sendable () throws(EncodingFailure) -> [UInt8]
    ) {
        self.epoch = epoch
        self.created = created
        self.document = document
    }
}

/// A session as a journal hands it over.
public struct OpenedSession: Sendable {
    /// The right to append to it.
    public var lease: Lease
    /// The first part of its tokens.
    public var epoch: String
    /// The time at which it was made.
    public var created: Timestamp
    /// Its state; nil where this opening has made it, and the caller has its state.
    public var document: StoredDocument?
    /// The idempotency keys of its entries that still count, the oldest first.
    public var keys: [KeptKey]

    /// A session that a journal hands over.
    public init(
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

/// A session's state at one version.
public struct StoredDocument: Sendable, Hashable {
    /// The version of the last entry.
    public var version: UInt64
    /// The version of the last entry that changed the state.
    public var lastChange: UInt64
    /// The state as JSON.
    public var json: [UInt8]

    /// A state at a version.
    public init(version: UInt64, lastChange: UInt64, json: [UInt8]) {
        self.version = version
        self.lastChange = lastChange
        self.json = json
    }
}

/// An idempotency key that stands in a kept entry, with what its first answer is computed from.
public struct KeptKey: Sendable, Hashable {
    /// The id of the principal that sent it; empty for a client that is not known.
    public var principal: String
    /// The key.
    public var key: String
    /// A stable 64-bit print of the body.
    public var print: UInt64
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
        principal: String, key: String, print: UInt64, at: Timestamp, first: UInt64,
        last: UInt64, changed: Bool, batch: [UInt8]? = nil
    ) {
        self.principal = principal
        self.key = key
        self.print = print
        self.at = at
        self.first = first
        self.last = last
        self.changed = changed
        self.batch = batch
    }
}
