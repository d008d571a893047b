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

    /// The name of which this is the text; of characters that ids and places of applications have.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[parts.count - 2] == "sessions", let id = parts.last,
            SessionID.isValid(id.utf8), parts.joined().utf8.allSatisfy(SessionID.isAllowed)
        else { return nil }
        self.init(mount: parts.dropLast(2).joined(separator: "/"), id: String(id))
    }
}

/// The beginning of a session that a journal is to make.
public struct NewSession: Sendable {
    /// The failure of a state that has no JSON.
    public typealias Failure = EncodingFailure

    /// The first part of its tokens.
    public let epoch: String
    /// The time at which it was made.
    public let created: Timestamp
    /// The version of the application's schema that its states are of.
    public let schema: Int
    /// The earliest alarm that the initial state asks for; nil where there is none.
    public let alarm: Timestamp?
    /// A print of the client that has it made, by which a server counts the sessions of one; 0: nobody's.
    public let maker: UInt16
    /// The most sessions that the journal may have with it: where it has so many, it throws
    /// `.tooManySessions`.
    public let sessionCount: Int
    /// Writes the initial state as JSON, for a journal that keeps it.
    public let document: @Sendable () throws(Failure) -> [UInt8]
    /// Writes the patch that sets the secrets of the initial state; nil where it has none.
    public let secrets: @Sendable () throws(Failure) -> Secret<[UInt8]>?

    /// A session whose version 0 is the state that `document` writes.
    public init(
        epoch: String, created: Timestamp, schema: Int, alarm: Timestamp? = nil, maker: UInt16 = 0,
        sessionCount: Int = .max, document: @escaping @Sendable () throws(Failure) -> [UInt8],
        secrets: @escaping @Sendable () throws(Failure) -> Secret<[UInt8]>? = { nil }
    ) {
        self.epoch = epoch
        self.created = created
        self.schema = schema
        self.alarm = alarm
        self.maker = maker
        self.sessionCount = sessionCount
        self.document = document
        self.secrets = secrets
    }
}

extension NewSession {
    /// The initial state, and the same with its secrets as JSON; nil where it has none.
    package func state() throws(JournalFailure) -> (document: StoredDocument, whole: [UInt8]?) {
        do {
            let document = StoredDocument(
                version: 0, lastChange: 0, lastTime: nil, schema: schema, json: try document())
            guard let secrets = try secrets()?.value else { return (document, nil) }
            var whole = PatchedDocument(document.json)
            try whole.apply(secrets.span)
            return (document, whole.bytes())
        } catch {
            throw .unavailable
        }
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
    /// The idempotency keys of its last entries, the oldest first.
    public var keys: [KeptKey]
    /// All keys of entries behind this version are in `keys`; `Journal.keys` gives those before it.
    public var keysBegin: UInt64
    /// What the session's work needs to go on: the last that was kept, and what entries say since; see
    /// `KeptWork.after`.
    public var work: KeptWork?
    /// The print of the client that has made it; 0: nobody's.
    public var maker: UInt16 = 0
    /// The process has ended twice while it reduced this session's next action: reduce nothing. The
    /// first entry that is appended nevertheless, and the start after the next, find it as any other.
    public var isFrozen = false
    /// The process has ended twice while it opened the session at this version: make nothing of its state,
    /// which a revert, another build or the start after the next may change.
    public var isUnsafe = false
    /// The process has ended while it opened the session at this version, or looked for an earlier one that
    /// can be read: look for none.
    package var hasTrapped = false

    /// A session that a journal hands over.
    public init(
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
public struct KeptWork: Sendable, Hashable {
    /// The version of the state, or of the entry.
    public var version: UInt64
    /// What the work needs, in the words of the application.
    public var bytes: [UInt8]

    /// Says all of it.
    public init(version: UInt64, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    /// What work needs behind entries, the oldest first, that have followed what was kept of it: they say
    /// which works began and ended with them. A journal asks for it where it makes a snapshot, and where
    /// it opens a session.
    ///
    /// - Parameters:
    ///   - work: nil where none was ever kept.
    ///   - epoch: of the entries.
    public static func after(
        _ entries: some Sequence<EncodedEntry>, _ work: KeptWork?, epoch: String
    ) throws(JournalFailure) -> KeptWork? {
        var (records, last): ([WorkRecord]?, UInt64) = (nil, work?.version ?? 0)
        do throws(DecodingFailure) {
            for entry in entries where entry.version > last && entry.tellsOfWork {
                var known: [WorkRecord]
                if let records {
                    known = records
                } else {
                    known = try Self.records(of: work, epoch: epoch)
                }
                try entry.tell(of: &known, epoch: epoch)
                (records, last) = (known, entry.version)
            }
        } catch {
            throw .damaged(good: nil)
        }
        return records.map { KeptWork($0, at: last) } ?? work
    }

    /// The works that go on. Those that none of them names began with the session, or the version from which
    /// it goes on.
    package static func records(
        of work: KeptWork?, epoch: String
    ) throws(DecodingFailure) -> [WorkRecord] {
        guard let work else { return [ofOthers(since: 0, epoch)] }
        return try StateDecoder().decode([WorkRecord].self, from: work.bytes)
    }

    private static func ofOthers(since version: UInt64, _ epoch: String) -> WorkRecord {
        WorkRecord(name: WorkRecord.ofOthers, version: version, token: "\(epoch)-\(version)")
    }

    /// Says nothing but the version with which all works begin.
    package init(since version: UInt64, epoch: String) {
        self.init([Self.ofOthers(since: version, epoch)], at: version)
    }

    package init(_ records: [WorkRecord], at version: UInt64) {
        do throws(EncodingFailure) {
            var bytes: [UInt8] = []
            try StateEncoder().encode(records, into: &bytes)
            self.init(version: version, bytes: bytes)
        } catch {
            preconditionFailure("Names and numbers can be written as JSON.")
        }
    }
}

extension EncodedEntry {
    /// What it says of works stands first in its head, as `starts`, or behind its `epoch`, so that few heads
    /// are parsed.
    package var tellsOfWork: Bool {
        head.count > 2 && (head[2] == UInt8(ascii: "s") || head[2] == UInt8(ascii: "e"))
    }

    fileprivate func tell(
        of records: inout [WorkRecord], epoch: String
    ) throws(DecodingFailure) {
        let head = try JSONValue(written: head.span)
        let names = { (member: String) in head[member]?.elements?.compactMap(\.string) ?? [] }
        if let done = head["done"]?.string {
            var record =
                records.first { $0.name == done }
                ?? records.first { $0.name == WorkRecord.ofOthers }
            record?.name = done
            // An alarm that is still wanted comes again.
            if head["origin"]?.string == "alarm" {
                let count = record?.alarmCount ?? 0
                record?.alarmCount = min(count, .max - 1) + 1
            } else {
                record?.hasEnded = true
            }
            records.removeAll { $0.name == done }
            if let record { records.insert(record, at: 0) }
        }
        let (starts, ends) = (names("starts"), names("ends"))
        let gone = Set(starts + ends)
        guard !gone.isEmpty else { return }
        records.removeAll { gone.contains($0.name) }
        records =
            starts.map { WorkRecord(name: $0, version: version, token: "\(epoch)-\(version)") }
            + records
    }
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

/// A session's state at one version.
public struct StoredDocument: Sendable, Hashable {
    /// The version of the last entry.
    public var version: UInt64
    /// The version of the last entry that changed the state.
    public var lastChange: UInt64
    /// The time of the last entry, which no later one comes before; nil where there is no entry.
    public var lastTime: Timestamp?
    /// The version of the application's schema that the JSON is of.
    public var schema: Int
    /// The state as JSON.
    public var json: [UInt8]
    /// The session's number, for a state of before that the application's code is to read: see
    /// `Journal.reads`.
    package var lease: Lease?
    /// The process has ended twice while the application's code read it: have it read no more.
    package var isUnsafe = false

    /// A state at a version.
    public init(
        version: UInt64, lastChange: UInt64, lastTime: Timestamp?, schema: Int, json: [UInt8]
    ) {
        self.version = version
        self.lastTime = lastTime
        self.lastChange = lastChange
        self.schema = schema
        self.json = json
    }
}

extension StoredDocument {
    /// Goes on to the last visible state that consecutive entries behind it lead to. Its schema stays.
    ///
    /// Throws `.damaged` where a patch does not fit; the document is then as it was.
    ///
    /// - Parameter withSecrets: the state has its secrets, and so has what comes of it.
    public mutating func apply(
        _ entries: some Sequence<EncodedEntry>, withSecrets: Bool = false
    ) throws(JournalFailure) {
        var (next, document) = (self, PatchedDocument(json))
        for entry in entries {
            do throws(PatchFailure) {
                if let patch = entry.patch { try document.apply(patch.span) }
                if withSecrets, let secrets = entry.secrets?.value {
                    try document.apply(secrets.span)
                }
            } catch {
                throw .damaged(good: next.version)
            }
            if entry.patch != nil || entry.secrets != nil { next.lastChange = entry.version }
            if entry.isLast { (next.version, next.lastTime) = (entry.version, entry.at) }
        }
        next.json = document.bytes()
        self = next
    }
}
