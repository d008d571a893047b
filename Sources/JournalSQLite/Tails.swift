/// The entries behind the newest snapshots of sessions that are written to, so that the next ones are
/// made without reading: the row "64 in flight over one session" of `journal-benchmark` is at 14.7 µs an
/// entry with it, and at 16.9 without. What does not fit is read.
struct Tails: Sendable {
    private static let byteCount = 32 << 20

    private var tails: [Int64: [EntryRow]] = [:]
    private var byteCount = 0

    /// A session has a snapshot at its end, or at a version before it.
    mutating func begin(_ session: Int64, behind version: UInt64? = nil) {
        let rows = drop(session)
        tails[session] = version.map { version in rows?.filter { $0.version > version } } ?? []
        byteCount += tails[session]?.reduce(0) { $0 + $1.byteCount } ?? 0
    }

    mutating func append(_ row: EntryRow, of session: Int64) {
        guard let index = tails.index(forKey: session) else { return }
        let count = row.byteCount
        guard byteCount + count <= Self.byteCount else {
            drop(session)
            return
        }
        tails.values[index].append(row)
        byteCount += count
    }

    @discardableResult mutating func drop(_ session: Int64) -> [EntryRow]? {
        let rows = tails.removeValue(forKey: session)
        byteCount -= rows?.reduce(0) { $0 + $1.byteCount } ?? 0
        return rows
    }

    func rows(of session: Int64) -> [EntryRow]? { tails[session] }
}
