package import Redux
package import StateCoding

/// A session's name in a journal.
package struct SessionName: Sendable, Hashable, CustomStringConvertible {
    /// The place of its application: `/counter`, or nothing for an application at the root.
    package let mount: String
    /// The session's id: `demo`.
    package let id: String

    /// The name of one application's session.
    package init(mount: String, id: String) {
        self.mount = mount
        self.id = id
    }

    /// `/counter/sessions/demo`
    package var description: String { "\(mount)/sessions/\(id)" }
}

/// The beginning of a session that a journal is to make.
package struct NewSession: Sendable {
    /// The failure of a state that has no JSON.
    package typealias Failure = EncodingFailure

    /// The first part of its tokens.
    package let epoch: String
    /// The time at which it was made.
    package let created: Timestamp
    /// The version of the application's schema that its states are of.
    package let schema: Int
    /// Writes the initial state as JSON, for a journal that keeps it.
    package let document: @Sendable () throws(Failure) -> [UInt8]
    /// Writes the patch that sets the secrets of the initial state; nil where it has none.
    package let secrets: @Sendable () throws(Failure) -> Secret<[UInt8]>?

    /// A session whose version 0 is the state that `document` writes.
    package init(
        epoch: String, created: Timestamp, schema: Int,
        document: @escaping @Sendable () throws(Failure) -> [UInt8],
        secrets: @escaping @Sendable () throws(Failure) -> Secret<[UInt8]>? = { nil }
    ) {
        self.epoch = epoch
        self.created = created
        self.schema = schema
        self.document = document
        self.secrets = secrets
    }
}

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
    /// The idempotency keys of its last entries, the oldest first.
    package var keys: [KeptKey]
    /// All keys of entries behind this version are in `keys`; `Journal.keys` gives those before it.
    package var keysBegin: UInt64
    /// What the session's work needs to go on, as the last snapshot that had it says.
    package var work: KeptWork?
    /// The process has ended twice while it reduced this session's next action: reduce nothing. The
    /// first entry that is appended nevertheless, and the start after the next, find it as any other.
    package var isFrozen = false

    /// A session that a journal hands over.
    package init(
        lease: Lease, epoch: String, created: Timestamp, document: StoredDocument?,
        keys: [KeptKey] = [], keysBegin: UInt64 = 0, work: KeptWork? = nil
    ) {
        self.lease = lease
        self.epoch = epoch
        self.created = created
        self.document = document
        self.keys = keys
        self.keysBegin = keysBegin
        self.work = work
    }
}

/// What a session's work needs to go on, in the application's own words, as of one version.
package struct KeptWork: Sendable, Hashable {
    package var version: UInt64
    package var bytes: [UInt8]

    package init(version: UInt64, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }
}

/// The right to append to a session, until another server opens it.
package struct Lease: Sendable, Hashable {
    /// The journal's number for the session.
    package let session: Int64
    /// Counts the openings of the session.
    package let number: Int64

    /// A lease that a journal gives.
    package init(session: Int64, number: Int64) {
        self.session = session
        self.number = number
    }
}

/// A session's state at one version.
package struct StoredDocument: Sendable, Hashable {
    /// The version of the last entry.
    package var version: UInt64
    /// The version of the last entry that changed the state.
    package var lastChange: UInt64
    /// The time of the last entry, which no later one comes before; nil where there is no entry.
    package var lastTime: Timestamp?
    /// The version of the application's schema that the JSON is of.
    package var schema: Int
    /// The state as JSON.
    package var json: [UInt8]

    /// A state at a version.
    package init(
        version: UInt64, lastChange: UInt64, lastTime: Timestamp?, schema: Int, json: [UInt8]
    ) {
        self.version = version
        self.lastTime = lastTime
        self.lastChange = lastChange
        self.schema = schema
        self.json = json
    }
}
