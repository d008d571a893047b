import JournalRows
import Journaling
import SQLite

/// The newest snapshots of sessions that are written to, without their states and keys, and the entries behind
/// them, so that the next ones are made without reading: the row "64 in flight over one session" of
/// `journal-benchmark` is at 14.7 µs an entry with it, and at 16.9 without. What does not fit is read.
struct Tails: Sendable {
    private static let byteCount = 32 << 20

    private var tails: [Int64: (base: StoredState, rows: [StoredEntry], byteCount: Int)] = [:]
    private var byteCount = 0

    /// A session has a snapshot at its end, or before it.
    mutating func begin(_ session: Int64, behind base: StoredState) {
        let former = drop(session) ?? []
        let rows = former.filter { $0.version > base.document.version }
        let count = rows.reduce(0) { $0 + $1.byteCount }
        var base = base
        (base.document.json, base.keys, base.sealed) = ([], nil, base.sealed.map { _ in [] })
        tails[session] = (base, rows, count)
        byteCount += count
    }

    mutating func append(_ row: StoredEntry, of session: Int64) {
        guard let index = tails.index(forKey: session) else { return }
        let count = row.byteCount
        guard byteCount + count <= Self.byteCount else {
            drop(session)
            return
        }
        tails.values[index].rows.append(row)
        tails.values[index].byteCount += count
        byteCount += count
    }

    @discardableResult mutating func drop(_ session: Int64) -> [StoredEntry]? {
        let tail = tails.removeValue(forKey: session)
        byteCount -= tail?.byteCount ?? 0
        return tail?.rows
    }

    /// What a snapshot is made of; nil where more of it has to be read. The base is without its state and keys
    /// where the state at a version is known, and no secrets stand in it.
    func passage(
        of session: Int64, having state: StoredDocument?, to seq: Int64, in database: Database
    ) throws -> Passage? {
        guard let (base, rows, _) = tails[session], rows.first?.previous == base.seq,
            rows.last?.seq == seq
        else { return nil }
        let passage = Passage(base, rows)
        let isKnown = rows.contains { $0.isLast && $0.version == state?.version }
        if isKnown, !passage.hasSecrets { return passage }
        let found = try StoredState.find(session, atMost: base.document.version, in: database)
        return found?.seq == base.seq ? found.map { Passage($0, rows) } : nil
    }
}
