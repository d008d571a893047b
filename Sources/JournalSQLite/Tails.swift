/// The entries behind the newest snapshots of sessions that are written to, so that the next ones are
/// made without reading: the row "64 in flight over one session" of `journal-benchmark` is at 14.7 µs an
/// entry with it, and at 16.9 without. What does not fit is read.
struct Tails: Sendable {
    private static let byteCount = 32 << 20

    private var tails: [Int64: [EntryRow]] = [:]
    private var byteCount = 0

    /// A session has a snapshot at its end.
    mutating func begin(_ session: Int64) {
        drop(session)
        tails[session] = []
    }

    mutating func append(_ row: EntryRow, of session: Int64) {
        guard let index = tails.index(forKey: session) else { return }
        let count = row.byteCount
        guard byteCount + count <= Self.byteCount else { return drop(session) }
        tails.values[index].append(row)
        byteCount += count
    }

    mutating func drop(_ session: Int64) {
        let rows = tails.removeValue(forKey: session)
        byteCount -= rows?.reduce(0) { $0 + $1.byteCount } ?? 0
    }

    func rows(of session: Int64) -> [EntryRow]? { tails[session] }
}
