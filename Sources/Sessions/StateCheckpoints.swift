import Bytes
import DequeModule

/// States between the two ends of a log, so that the way to each of its versions is short.
///
///     base ── patches ──▶ checkpoint ── patches ──▶ checkpoint ── patches ──▶ the last entry
///
/// They stand the further apart the larger the state is: a state that takes a tenth of what they may
/// take together is kept each tenth of the log. Together they take at most as much as the entries may,
/// and one state more.
struct StateCheckpoints {
    private struct Checkpoint {
        let version: UInt64
        let json: SharedBytes
    }

    /// The least part of the log between two of them.
    private static let leastShare = 1.0 / 64

    private var list: Deque<Checkpoint> = []
    /// The part of the log that the entries behind the last one take, by their number and bytes.
    private var share = 0.0
    private let bounds: EntryLog.Bounds
    /// The memory that they take.
    private(set) var byteCount = 0

    init(_ bounds: EntryLog.Bounds) {
        self.bounds = bounds
    }

    /// Entries were committed.
    mutating func passed(entryCount: Int, byteCount: Int) {
        share += Double(entryCount) / Double(max(1, bounds.entryCount))
        share += Double(byteCount) / Double(max(1, bounds.byteCount))
    }

    /// A state of so many bytes is to be kept, if it may be seen.
    func isDue(stateByteCount: Int) -> Bool {
        share >= max(Self.leastShare, 2 * Double(stateByteCount) / Double(max(1, bounds.byteCount)))
    }

    /// Keeps the state behind the last entry.
    mutating func append(_ json: SharedBytes, at version: UInt64) {
        precondition(list.last.map { $0.version < version } ?? true, "A log goes forward.")
        list.append(Checkpoint(version: version, json: json))
        byteCount += json.count
        share = 0
    }

    /// The last state that is kept up to a version.
    func last(upTo version: UInt64) -> (version: UInt64, json: SharedBytes)? {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].version <= version { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? (list[low - 1].version, list[low - 1].json) : nil
    }

    /// The log begins with a version.
    mutating func drop(upTo version: UInt64) {
        while let first = list.first, first.version <= version {
            byteCount -= first.json.count
            list.removeFirst()
        }
    }

    /// Memory is short: all of them go.
    mutating func dropAll() {
        list = []
        byteCount = 0
    }
}
