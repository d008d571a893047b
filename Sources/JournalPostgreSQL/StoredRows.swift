import Journaling
import PostgreSQL
import Redux
import Sodium
import Threads

/// A session's row.
struct StoredSession: Sendable {
    let id: Int64
    let name: SessionName
    var epoch: String
    /// The journal's history in which its epoch began.
    let history: Int64
    let created: Timestamp
    let maker: UInt16
    let lease: Int64
    var end: End
    /// Its key of secrets, sealed.
    var dataKey: [UInt8]?
    /// What the journal's history is now; nil where that was not asked for.
    let presentHistory: Int64?
    /// The versions that were being made when a trap has ended a server of this build, and whether each was
    /// so twice, within 60 s.
    var traps: ReductionPage.Suspect = [:]

    /// The end of its entries, as the next one needs it.
    struct End: Sendable, Hashable {
        var version: UInt64 = 0
        var at: Int64
        /// The sum of the last entry.
        var sum: UInt32
        var alarm: Int64?
        var schema: Int
    }

    /// Nil where the row has no name of a session.
    init?(_ row: ResultRow) {
        guard let name = SessionName(row.text(1)) else { return nil }
        self.name = name
        (id, epoch, history) = (row.number(0), row.text(2), row.number(3))
        (created, maker) = (
            Timestamp(milliseconds: row.number(4)), UInt16(clamping: row.number(5))
        )
        lease = row.number(7)
        end = End(
            version: row.version(8), at: row.number(9), sum: row.sum(10), alarm: row.integer(11),
            schema: Int(row.number(6)))
        dataKey = row.bytes(12)
        presentHistory = row.count > 13 ? row.number(13) : nil
        // Twice the version, and 1 more where it was so twice.
        for part in row.count == 15 ? row.text(14).split(separator: " ") : [] {
            if let number = UInt64(part) { traps[number / 2] = number % 2 == 1 }
        }
    }

    var summary: SessionSummary {
        SessionSummary(
            name: name, epoch: epoch, created: created, version: end.version,
            lastTime: Timestamp(milliseconds: end.at),
            alarm: end.alarm.map { Timestamp(milliseconds: $0) }, maker: maker)
    }

    /// The sum that the first entry goes on from.
    static func sum(_ name: SessionName, _ epoch: String) -> UInt32 {
        [.text(name.description), .text(epoch)].checksum()
    }

    /// Its key of secrets; nil where it has none.
    func key(by master: SealingKey?) throws(JournalFailure) -> SealingKey? {
        guard let dataKey else { return nil }
        let opened = master?.open(dataKey, at: Sealed.place(of: name)).flatMap { SealingKey($0) }
        guard let opened else { throw .missingKey }
        return opened
    }
}

extension ResultRow {
    func sum(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(column)) }
}

extension Parameter {
    static func sum(_ sum: UInt32) -> Parameter { .integer(sum.number) }
    static func version(_ version: UInt64) -> Parameter {
        .integer(Int64(bitPattern: version))
    }
}

extension UInt32 {
    /// As `int4` has it.
    var number: Int64 { Int64(Int32(bitPattern: self)) }
}

/// What is sealed for one place opens nowhere else; each session has its own key.
enum Sealed {
    static func place(_ column: String, _ version: UInt64) -> [UInt8] {
        Array("\(column) \(version)".utf8)
    }

    static func place(of name: SessionName) -> [UInt8] { Array("key \(name)".utf8) }
}

/// An entry's row.
struct StoredEntry: Sendable {
    /// Without its secrets.
    let entry: EncodedEntry
    let schema: Int
    let sealed: [UInt8]?
    /// Of all the rest, behind the sum of the row before it.
    private(set) var sum: UInt32

    init(
        _ entry: EncodedEntry, of session: Int64, _ end: StoredSession.End, _ key: SealingKey?
    ) {
        sealed = entry.secrets.flatMap {
            key?.seal($0.value, at: Sealed.place("entry", entry.version))
        }
        var entry = entry
        entry.secrets = nil
        (self.entry, schema, sum) = (entry, end.schema, end.sum)
        sum = checksum(of: session, after: end.sum)
    }

    init(_ row: ResultRow) {
        let flags = row.number(2)
        entry = EncodedEntry(
            version: row.version(0), at: Timestamp(milliseconds: row.number(1)),
            head: row.bytes(5) ?? [], print: row.bytes(4).flatMap { UInt128(bytes: $0) },
            patch: row.bytes(6), isLast: flags & 1 != 0)
        (schema, sum, sealed) = (Int(flags >> 8), row.sum(3), row.bytes(7))
    }

    var flags: Int64 { (entry.isLast ? 1 : 0) | Int64(schema) << 8 }
    /// It has led to another state.
    var isChange: Bool { entry.patch != nil || sealed != nil }

    /// In the order of the columns.
    var parameters: [Parameter] {
        [
            .version(entry.version), .integer(entry.at.milliseconds), .integer(flags), .sum(sum),
            .bytes(entry.print?.bytes), .bytes(entry.head), .bytes(entry.patch), .bytes(sealed),
        ]
    }

    func checksum(of session: Int64, after sum: UInt32) -> UInt32 {
        var values = parameters
        values[3] = .integer(session)
        return values.checksum(after: sum)
    }

    /// The patch that sets its secrets; nil where there are none.
    func secrets(by key: SealingKey) throws(JournalFailure) -> Secret<[UInt8]>? {
        guard let sealed else { return nil }
        guard let opened = key.open(sealed, at: Sealed.place("entry", entry.version)) else {
            throw .damaged(good: entry.version - 1)
        }
        return Secret(opened)
    }
}

/// A session's state at a version at which it was visible.
struct StoredState: Sendable {
    var document: StoredDocument
    /// The sum of its version's entry.
    var chain: UInt32
    /// The newest words about the session's work.
    var work: KeptWork?
    /// The keys of the entries since the state before.
    var keys: KeyList?
    /// The state with its secrets; nil where it has none.
    var sealed: [UInt8]?

    init(_ document: StoredDocument, chain: UInt32) {
        (self.document, self.chain) = (document, chain)
    }

    /// Nil where the row is not what was written.
    init?(_ row: ResultRow, of name: SessionName) {
        document = StoredDocument(
            version: row.version(0), lastChange: row.version(2),
            lastTime: row.integer(1).map { Timestamp(milliseconds: $0) },
            schema: Int(row.number(3)), json: row.bytes(8) ?? [])
        chain = row.sum(4)
        work = row.bytes(6).map { KeptWork(version: row.version(5), bytes: $0) }
        keys = row.bytes(7).map { KeyList(bytes: $0) }
        sealed = row.bytes(9)
        guard row.sum(10) == sum(of: name) else { return nil }
    }

    func sum(of name: SessionName) -> UInt32 {
        values.checksum(after: [.text(name.description)].checksum())
    }

    private var values: [Parameter] {
        [
            .version(document.version), .integer(document.lastTime?.milliseconds),
            .version(document.lastChange), .integer(Int64(document.schema)), .sum(chain),
            .integer(work.map { Int64(bitPattern: $0.version) }), .bytes(work?.bytes),
            .bytes(keys?.bytes), .bytes(document.json), .bytes(sealed),
        ]
    }

    /// In the order of the columns.
    func parameters(of name: SessionName) -> [Parameter] { values + [.sum(sum(of: name))] }

    /// The state with its secrets.
    func whole(by key: SealingKey) throws(JournalFailure) -> [UInt8] {
        guard let sealed else { return document.json }
        guard let opened = key.open(sealed, at: Sealed.place("state", document.version)) else {
            throw .damaged(good: nil)
        }
        return opened
    }

    /// Keeps the state with its secrets beside the one without.
    mutating func seal(_ whole: [UInt8], by key: SealingKey) {
        sealed = key.seal(whole, at: Sealed.place("state", document.version))
    }
}
