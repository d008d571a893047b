package import Bytes
import DequeModule
package import Redux
package import Journaling
import StateCoding

/// The entries of one session that are kept in memory, with what each did to the state: a state to
/// begin with, and from there on the patches.
///
///     base ── patch ──▶ … ── patch ──▶ the last committed entry ── staged ──▶ the head
///
/// It is bounded: the oldest entries go first, and the base moves on. Entries that are staged are no
/// part of it before they are committed. It does no I/O and has no clock.
package final class EntryLog {
    /// The bounds of a log.
    struct Bounds {
        /// The most entries.
        var entryCount: Int
        /// The most bytes of committed entries, the states at the ends and between not counted.
        var byteCount: Int
    }

    /// Entries that were decided together, on their way into the journal.
    private struct Staged {
        var entries: [EncodedEntry]
        /// The state behind them; nil where they have not changed it.
        var form: EncodedForm?
        var last: UInt64 { entries.last?.version ?? 0 }
        var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }
    }

    /// The version of the state that the log begins with.
    package private(set) var baseVersion: UInt64
    /// The time since which that state was there, as far as the log knows.
    package private(set) var start: Timestamp
    /// The state that the log begins with, as JSON.
    package private(set) var base: [UInt8]
    /// The state behind the last committed entry.
    private(set) var form: EncodedForm
    private var entries: Deque<EncodedEntry> = []
    private var staged: Deque<Staged> = []
    private var checkpoints: StateCheckpoints
    private var entryByteCount = 0
    private var stagedByteCount = 0
    private let bounds: Bounds
    /// The bytes of entries that are still to be played.
    var upcomingByteCount = 0
    /// The state that was read last: the next one may follow from it.
    var lastRead: (version: UInt64, json: SharedBytes)?

    /// A log that begins with a committed state.
    init(_ form: EncodedForm, at version: UInt64, since start: Timestamp, _ bounds: Bounds) {
        self.form = form
        base = form.bytes()
        baseVersion = version
        self.start = start
        self.bounds = bounds
        checkpoints = StateCheckpoints(bounds)
    }

    /// The version of the last committed entry, or of the base.
    package var lastVersion: UInt64 { baseVersion + UInt64(entries.count) }
    /// The state at the head: what the next entries are compared with.
    var head: EncodedForm { staged.last { $0.form != nil }?.form ?? form }
    /// The version of the last entry that is staged or committed.
    var headVersion: UInt64 { staged.last?.last ?? lastVersion }
    /// The memory that it takes, about.
    var byteCount: Int {
        entryByteCount + stagedByteCount + checkpoints.byteCount + base.count + form.heldByteCount
            + upcomingByteCount + (lastRead?.json.count ?? 0)
    }

    // MARK: Writing

    /// Entries that were decided together are handed over to the journal.
    ///
    /// - Parameter form: the state behind them; nil where they have not changed it.
    func stage(_ entries: [EncodedEntry], _ form: EncodedForm?) {
        precondition(
            entries.first?.version == headVersion + 1, "An entry stands behind the one before it.")
        let group = Staged(entries: entries, form: form)
        staged.append(group)
        stagedByteCount += group.byteCount
    }

    /// Takes over what was committed meanwhile, and drops what was lost.
    ///
    /// - Parameter head: the last version that is committed or with the journal.
    func settle(committed: UInt64, head: UInt64) {
        while let last = staged.last, last.last > head {
            stagedByteCount -= last.byteCount
            staged.removeLast()
        }
        while let first = staged.first, first.last <= committed {
            staged.removeFirst()
            append(first)
        }
        if isBeyond(bounds.entryCount, bounds.byteCount) { trim() }
    }

    /// Takes over entries that were committed, and now and then the state behind them.
    private func append(_ group: Staged) {
        let byteCount = group.byteCount
        stagedByteCount -= byteCount
        entryByteCount += byteCount
        form = group.form ?? form
        entries.append(contentsOf: group.entries)
        checkpoints.passed(entryCount: group.entries.count, byteCount: byteCount)
        guard checkpoints.isDue(stateByteCount: form.byteCount) else { return }
        checkpoints.append(SharedBytes(form.bytes()), at: lastVersion)
    }

    private func isBeyond(_ count: Int, _ byteCount: Int) -> Bool {
        entries.count > count || entryByteCount > byteCount
    }

    /// Drops the oldest entries, an eighth more than must be, so that most entries drop none; a batch
    /// goes as a whole.
    private func trim() {
        let (count, byteCount) = (bounds.entryCount / 8 * 7, bounds.byteCount / 8 * 7)
        var (dropped, left) = (0, entryByteCount)
        var isWhole = true
        while dropped < entries.count,
            !isWhole || entries.count - dropped > count || left > byteCount
        {
            isWhole = entries[dropped].isLast
            left -= entries[dropped].byteCount
            dropped += 1
        }
        // Where a patch does not fit, the log begins anew with the last committed state.
        let version = baseVersion + UInt64(dropped)
        if let json = state(at: version) {
            base = json.bytes
        } else {
            (dropped, base) = (entries.count, form.bytes())
        }
        for _ in 0..<dropped { dropFirst() }
        checkpoints.drop(upTo: baseVersion)
    }

    private func dropFirst() {
        let first = entries.removeFirst()
        entryByteCount -= first.byteCount
        baseVersion = first.version
        start = first.at
    }

    /// Memory is short: what makes reading faster goes.
    func dropCheckpoints() { checkpoints.dropAll() }

    // MARK: Reading

    /// The committed entries behind a version, so many at most.
    package func entries(after version: UInt64, limit: Int) -> [EncodedEntry] {
        precondition(version >= baseVersion && limit >= 0, "What is gone is not asked for.")
        guard version < lastVersion else { return [] }
        let first = Int(version - baseVersion)
        return Array(entries[first...].prefix(limit))
    }

    /// The version whose state is shown for another one: itself, or inside of a batch the one before
    /// that; nil where it is not in the log.
    package func visibleVersion(at version: UInt64) -> UInt64? {
        guard (baseVersion...lastVersion).contains(version) else { return nil }
        var visible = version
        while visible > baseVersion, !entry(visible).isLast { visible -= 1 }
        return visible
    }

    private func entry(_ version: UInt64) -> EncodedEntry {
        entries[Int(version - baseVersion) - 1]
    }

    /// The state at a visible version as JSON, as it was; nil where a patch does not fit.
    ///
    /// - Parameter known: a state at an earlier version, from which the way may be shorter.
    package func state(
        at version: UInt64, from known: (version: UInt64, json: SharedBytes)? = nil
    ) -> SharedBytes? {
        precondition((baseVersion...lastVersion).contains(version), "The log has the version.")
        if version == lastVersion { return SharedBytes(form.bytes()) }
        let way = way(to: version, from: known)
        var document = PatchedDocument(way.json)
        for entry in entries[Int(way.from - baseVersion)..<Int(version - baseVersion)] {
            do throws(PatchFailure) {
                if let patch = entry.patch { try document.apply(patch.span) }
            } catch {
                return nil
            }
        }
        return SharedBytes(document.bytes())
    }

    /// The latest state that is known up to a version: the base, a checkpoint, or another one.
    func way(
        to version: UInt64, from known: (version: UInt64, json: SharedBytes)? = nil
    ) -> (from: UInt64, json: [UInt8]) {
        let others = [checkpoints.last(upTo: version), known].compactMap { $0 }
        let last = others.filter { (baseVersion...version).contains($0.version) }
            .max { $0.version < $1.version }
        return last.map { ($0.version, $0.json.bytes) } ?? (baseVersion, base)
    }
}
