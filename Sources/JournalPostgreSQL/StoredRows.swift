import JournalRows
import Journaling
import PostgreSQL
import Redux
import Sodium
import Threads

/// A session's row, and what is known here of one that is open.
struct StoredSession: Sendable {
    let lease: Lease
    var summary: SessionSummary
    /// The sum and the schema of its last entry, as the next one needs them.
    var (sum, schema): (UInt32, Int)
    /// The journal's history in which its epoch began.
    let history: Int64
    /// Its key of secrets, sealed.
    var dataKey: [UInt8]?
    /// What the journal's history is now; nil where that was not asked for.
    let presentHistory: Int64?
    /// The versions that were being made when a trap has ended a server of this build, and whether each was
    /// so twice, within 60 s.
    var traps: ReductionPage.Suspect = [:]
    /// The version of the last entry that was handed over.
    var handedOver: UInt64
    /// Its key of secrets, where that was opened.
    var key: SealingKey?
    var tail = Tail()

    init(_ row: ResultRow) throws(JournalFailure) {
        guard let name = SessionName(row.text(1)) else { throw .damaged(good: nil) }
        lease = Lease(session: row.number(0), number: row.number(7))
        summary = SessionSummary(
            name: name, epoch: row.text(2), created: Timestamp(milliseconds: row.number(4)),
            version: row.version(8), lastTime: Timestamp(milliseconds: row.number(9)),
            alarm: row.integer(11).map { Timestamp(milliseconds: $0) },
            maker: UInt16(clamping: row.number(5)))
        (sum, schema, history) = (row.sum(10), Int(row.number(6)), row.number(3))
        (handedOver, dataKey) = (row.version(8), row.bytes(12))
        presentHistory = row.count > 13 ? row.number(13) : nil
        // Twice the version, and 1 more where it was so twice.
        for part in row.count == 15 ? row.text(14).split(separator: " ") : [] {
            if let number = UInt64(part) { traps[number / 2] = number % 2 == 1 }
        }
    }

    var id: Int64 { lease.session }
    var name: SessionName { summary.name }
    /// As far as its entries are kept.
    var version: UInt64 { summary.version }

    /// The sum that the first entry goes on from.
    static func sum(_ name: SessionName, _ epoch: String) -> UInt32 {
        [.text(name.description), .text(epoch)].checksum()
    }

    /// A key for secrets, and the same sealed; nil without one that seals it.
    static func makeKey(
        of name: SessionName, by master: SealingKey?
    ) -> (key: SealingKey, sealed: [UInt8])? {
        guard let master else { return nil }
        let key = SealingKey.make()
        return (key, master.seal(key.bytes, at: "key \(name)"))
    }

    /// Its key of secrets; nil where it has none.
    func key(by master: SealingKey?) throws(JournalFailure) -> SealingKey? {
        guard let dataKey else { return nil }
        let opened = master?.open(dataKey, at: "key \(name)").flatMap { SealingKey($0) }
        guard let opened else { throw .missingKey }
        return opened
    }
}

extension ResultRow {
    func sum(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(column)) }
}

extension Lease {
    var parameters: [Parameter] { [.integer(session), .integer(number)] }
}

extension Parameter {
    static func version(_ version: UInt64) -> Parameter { .integer(Int64(bitPattern: version)) }
}

extension StoredEntry {
    init(_ row: ResultRow) {
        let flags = row.number(2)
        self.init(
            EncodedEntry(
                version: row.version(0), at: Timestamp(milliseconds: row.number(1)),
                head: row.bytes(5) ?? [], print: row.bytes(4).flatMap { UInt128(bytes: $0) },
                patch: row.bytes(6), isLast: flags & 1 != 0),
            of: row.number(3), flags: flags, sealed: row.bytes(7), sum: row.sum(8))
    }

    /// In the order of the columns, behind which its sum stands.
    private var values: [Parameter] {
        [
            .version(version), .integer(entry.at.milliseconds), .integer(flags), .integer(session),
            .bytes(entry.print?.bytes), .bytes(entry.head), .bytes(entry.patch), .bytes(sealed),
        ]
    }

    /// It is what was written behind the row that has this sum.
    func hasSum(after sum: UInt32) -> Bool { self.sum == values.checksum(after: sum) }

    /// Adds it to rows; it stands behind the row that has its sum so far.
    mutating func add(to rows: inout Rows) { sum = rows.add(values, after: sum) }

    /// The same by itself.
    mutating func parameters() -> [Parameter] {
        sum = values.checksum(after: sum)
        return values + [.sum(sum)]
    }
}

extension StoredState {
    /// Nil where the row is not what was written.
    init?(_ row: ResultRow, of name: SessionName) {
        self.init(
            StoredDocument(
                version: row.version(0), lastChange: row.version(2),
                lastTime: row.integer(1).map { Timestamp(milliseconds: $0) },
                schema: Int(row.number(3)), json: row.bytes(8) ?? []), chain: row.sum(4))
        work = row.bytes(6).map { KeptWork(version: row.version(5), bytes: $0) }
        (keys, sealed) = (row.bytes(7).map { KeyList(bytes: $0) }, row.bytes(9))
        guard row.sum(10) == sum(of: name), document.lastChange <= document.version else {
            return nil
        }
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
}
