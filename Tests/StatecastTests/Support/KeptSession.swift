import Journaling
import Redux
import StateCoding

/// A session as a scripted journal keeps it: its entries, and the state behind the last of them.
struct KeptSession: Sendable {
    let number: Int64
    var lease: Int64 = 1
    let epoch: String
    let created: Timestamp
    let schema: Int
    private let maker: UInt16
    private(set) var version: UInt64 = 0
    private(set) var lastChange: UInt64 = 0
    private(set) var state: [UInt8]
    private(set) var entries: [EncodedEntry] = []
    private var keys: [KeptKey] = []
    private let beginning: [UInt8]

    init(_ new: NewSession, number: Int64, state: [UInt8]) {
        self.number = number
        (self.state, beginning) = (state, state)
        schema = new.schema
        epoch = new.epoch
        created = new.created
        maker = new.maker
    }

    /// The state as text.
    var json: String { String(decoding: state, as: UTF8.self) }

    /// The session as it is handed to a server.
    var opened: OpenedSession {
        var opened = OpenedSession(
            lease: Lease(session: number, number: lease), epoch: epoch, created: created,
            document: StoredDocument(
                version: version, lastChange: lastChange, lastTime: entries.last?.at,
                schema: schema, json: state),
            keys: keys)
        opened.maker = maker
        return opened
    }

    /// The state at a version, secrets redacted.
    func document(at version: UInt64) throws(JournalFailure) -> StoredDocument {
        guard version <= self.version else { throw .compacted(oldest: nil) }
        var document = StoredDocument(
            version: 0, lastChange: 0, lastTime: nil, schema: schema, json: beginning)
        try document.apply(entries.prefix(Int(version)))
        return document
    }

    mutating func append(_ batch: [EncodedEntry]) {
        let first = version + 1
        for entry in batch {
            version += 1
            entries.append(entry)
            if let patch = entry.patch { apply(patch) }
            if let secrets = entry.secrets { apply(secrets.value) }
        }
        // Nobody sees a state inside of a batch.
        if lastChange >= first { lastChange = version }
        if let last = batch.last { addKey(of: last, first) }
    }

    /// The patch leads on from the state before, and the secrets follow it.
    private mutating func apply(_ patch: [UInt8]) {
        var document = PatchedDocument(state)
        do throws(PatchFailure) {
            try document.apply(patch.span)
        } catch {
            preconditionFailure("A patch fits the state before it: \(error.detail)")
        }
        state = document.bytes()
        lastChange = version
    }

    private mutating func addKey(of entry: EncodedEntry, _ first: UInt64) {
        guard let root = try? JSONValue(parsing: entry.head.span),
            let key = root["key"]?.string, let print = entry.print
        else { return }
        keys.append(
            KeptKey(
                key: MemoryJournal().hash.hash(ofKey: key, of: root["by"]?["id"]?.string ?? ""),
                print: print, at: entry.at, first: first, last: version,
                changed: lastChange >= first,
                batch: root["batch"]?.string.map { Array($0.utf8) }))
    }
}
