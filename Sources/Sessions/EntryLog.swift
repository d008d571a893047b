package import Bytes
import DequeModule
package import Redux
import StateCoding

/// The entries of one session that are kept in memory, with what each did to the state: a state to
/// begin with, and from there on the patches.
///
///     base ── patch ──▶ … ── patch ──▶ the last committed entry ── staged ──▶ the head
///
/// It is bounded: the oldest entries go first, and the base moves on. Entries that are staged are no
/// part of it before they are committed. A value without I/O and without a clock.
package struct EntryLog {
    /// The bounds of a log.
    struct Bounds {
        /// The most entries.
        var entryCount: Int
        /// The most bytes of entries, the two states at the ends not counted.
        var byteCount: Int

        /// Everything is kept: others have bounded it.
        static let none = Bounds(entryCount: .max, byteCount: .max)
    }

    /// Entries that were decided together, on their way into the journal.
    private struct Staged {
        var entries: [LoggedEntry]
        /// The state behind them; nil where they have not changed it.
        var form: EncodedForm?
        var last: UInt64 { entries.last?.version ?? 0 }
    }

    /// The version of the state that the log begins with.
    package private(set) var baseVersion: UInt64
    /// The time since which that state was there, as far as the log knows.
    package private(set) var start: Timestamp
    /// The state that the log begins with, as JSON.
    package private(set) var base: [UInt8]
    /// The state behind the last committed entry.
    private(set) var form: EncodedForm
    private var entries: Deque<LoggedEntry> = []
    private var staged: Deque<Staged> = []
    private var entryByteCount = 0
    private let bounds: Bounds

    /// A log that begins with a committed state.
    init(_ form: EncodedForm, at version: UInt64, since start: Timestamp, _ bounds: Bounds) {
        self.form = form
        base = form.bytes()
        baseVersion = version
        self.start = start
        self.bounds = bounds
    }

    /// The version of the last committed entry, or of the base.
    package var lastVersion: UInt64 { baseVersion + UInt64(entries.count) }
    /// The state at the head: what the next entries are compared with.
    var head: EncodedForm { staged.last { $0.form != nil }?.form ?? form }
    /// The version of the last entry that is staged or committed.
    var headVersion: UInt64 { staged.last?.last ?? lastVersion }
    /// The memory that it takes, about.
    var byteCount: Int { entryByteCount + base.count + form.heldByteCount }

    // MARK: Writing

    /// Entries that were decided together are handed over to the journal.
    ///
    /// - Parameter form: the state behind them; nil where they have not changed it.
    mutating func stage(_ entries: [LoggedEntry], _ form: EncodedForm?) {
        precondition(
            entries.first?.version == headVersion + 1, "An entry stands behind the one before it.")
        staged.append(Staged(entries: entries, form: form))
    }

    /// Takes over what was committed meanwhile, and drops what was lost.
    ///
    /// - Parameter head: the last version that is committed or with the journal.
    mutating func settle(committed: UInt64, head: UInt64) {
        while let last = staged.last, last.last > head { staged.removeLast() }
        while let first = staged.first, first.last <= committed {
            staged.removeFirst()
            form = first.form ?? form
            for entry in first.entries {
                entries.append(entry)
                entryByteCount += entry.byteCount
            }
        }
        if isBeyond(bounds.entryCount, bounds.byteCount) { trim() }
    }

    private func isBeyond(_ count: Int, _ byteCount: Int) -> Bool {
        entries.count > count || entryByteCount > byteCount
    }

    /// Drops the oldest entries, an eighth more than must be, so that most entries drop none; a batch
    /// goes as a whole.
    private mutating func trim() {
        var document = PatchedDocument(base)
        let (count, bytes) = (bounds.entryCount / 8 * 7, bounds.byteCount / 8 * 7)
        var isWhole = true
        while let first = entries.first, !isWhole || isBeyond(count, bytes) {
            do throws(PatchFailure) {
                if let patch = first.patch { try document.apply(patch.span) }
            } catch {
                return forgetAll()
            }
            isWhole = first.isLast
            drop(first)
        }
        base = document.bytes()
    }

    private mutating func drop(_ first: LoggedEntry) {
        entries.removeFirst()
        entryByteCount -= first.byteCount
        baseVersion = first.version
        start = first.at
    }

    /// Begins anew with the last committed state.
    private mutating func forgetAll() {
        while let first = entries.first { drop(first) }
        base = form.bytes()
    }

    // MARK: Reading

    /// The committed entries behind a version, so many at most.
    package func entries(after version: UInt64, limit: Int) -> [LoggedEntry] {
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

    private func entry(_ version: UInt64) -> LoggedEntry {
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
        var (from, json) = (baseVersion, base)
        if let known, (from...version).contains(known.version) {
            (from, json) = (known.version, known.json.bytes)
        }
        var document = PatchedDocument(json)
        for entry in entries[Int(from - baseVersion)..<Int(version - baseVersion)] {
            do throws(PatchFailure) {
                if let patch = entry.patch { try document.apply(patch.span) }
            } catch {
                return nil
            }
        }
        return SharedBytes(document.bytes())
    }
}
