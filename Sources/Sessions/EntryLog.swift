package import Bytes
import DequeModule
package import Journaling
package import Redux
import StateCoding

/// The entries of one session that are kept in memory, with what each did to the state: a state to
/// begin with, and from there on the patches.
///
///     base ── patch ──▶ … ── patch ──▶ the last committed entry ── staged ──▶ the head
///
/// It is bounded: the oldest entries go first, and the base moves on. Entries that are staged are not
/// read before they are committed. It does no I/O and has no clock.
///
/// Between its ends stand checkpoints, so that the way to each of its versions is short: the further
/// apart the larger the state is. A state that takes a tenth of what the entries may take is kept each
/// tenth of the log. Together they take at most as much as the entries may, and one state more.
///
/// A recording that is played is a log, too: the entries that are still to be played are staged.
package final class EntryLog {
    /// A state that the log was led to.
    typealias Known = (version: UInt64, json: SharedBytes)

    /// The least part of the log between two checkpoints.
    private static let leastShare = 1.0 / 64
    /// The bytes of entries that are played in one turn of a loop.
    private static let turnByteCount = 256 * 1024

    /// The version of the state that the log begins with.
    package private(set) var baseVersion: UInt64
    /// The time since which that state was there, as far as the log knows.
    package private(set) var start: Timestamp
    /// The state that the log begins with, as JSON.
    package private(set) var base: SharedBytes
    /// The version of the last committed entry, or of the base.
    package private(set) var lastVersion: UInt64
    /// The last committed version that changed the state; that of the base, where none has.
    package private(set) var lastChange: UInt64
    private(set) var entries: Deque<EncodedEntry> = []
    private var entryByteCount = 0
    private var checkpoints: Deque<Known> = []
    /// The part of the log that the entries behind the last checkpoint take, by their number and bytes.
    private var share = 0.0
    /// The most entries, and the most bytes of them, the states at the ends and between not counted.
    private let entryLimit, byteLimit: Int
    /// The state that was read last: the next one may follow from it.
    private var lastRead: Known?
    /// The session of a recording that is played, and the epoch in which its first entry was decided.
    package private(set) var played: (session: String?, epoch: String)?
    /// The end of a recording that is played.
    private var end: Known?

    /// A log that begins with a committed state.
    init(
        _ base: SharedBytes, at version: UInt64, since start: Timestamp, entryLimit: Int,
        byteLimit: Int
    ) {
        self.base = base
        self.start = start
        self.entryLimit = entryLimit
        self.byteLimit = byteLimit
        (baseVersion, lastVersion, lastChange) = (version, version, version)
    }

    /// A recording at its beginning; nothing of it goes.
    package convenience init(playing recording: ReplayedRecording) {
        self.init(
            recording.state, at: recording.version, since: recording.start,
            entryLimit: recording.entries.count,
            byteLimit: recording.entries.reduce(0) { $0 + $1.byteCount })
        if !recording.entries.isEmpty { stage(recording.entries) }
        end = (headVersion, recording.end)
        played = (recording.session, recording.epoch(at: recording.version + 1))
    }

    /// A state of before, as a recording without entries.
    package convenience init(
        _ past: (version: UInt64, json: SharedBytes), since start: Timestamp
    ) {
        self.init(past.json, at: past.version, since: start, entryLimit: 0, byteLimit: 0)
    }

    /// The version of the last entry that is staged or committed.
    package var headVersion: UInt64 { baseVersion + UInt64(entries.count) }
    /// The memory that it takes, about.
    var byteCount: Int {
        checkpoints.reduce(
            entryByteCount + base.count + (lastRead?.json.count ?? 0) + (end?.json.count ?? 0)
        ) { $0 + $1.json.count }
    }

    // MARK: Writing

    /// Entries that were decided together are handed over to the journal.
    func stage(_ staged: [EncodedEntry]) {
        precondition(
            staged.first?.version == headVersion + 1, "An entry stands behind the one before it.")
        entries.append(contentsOf: staged)
        entryByteCount += staged.reduce(0) { $0 + $1.byteCount }
    }

    /// Takes over what was committed meanwhile, and drops what was lost; now and then it keeps the state.
    ///
    /// - Parameters:
    ///   - head: the last version that is committed or with the journal.
    ///   - form: the committed state's, where it is known.
    func settle(committed: UInt64, head: UInt64, _ form: EncodedForm?) {
        while let last = entries.last, last.version > head {
            entryByteCount -= last.byteCount
            entries.removeLast()
        }
        while lastVersion < min(committed, headVersion) {
            lastVersion += 1
            if entry(lastVersion).patch != nil { lastChange = lastVersion }
            share += 1 / Double(max(1, entryLimit))
            share += Double(entry(lastVersion).byteCount) / Double(max(1, byteLimit))
        }
        if let form, lastVersion == committed, isDue(form.byteCount) {
            checkpoints.append((lastVersion, SharedBytes(form.bytes())))
            share = 0
        }
        if isBeyond(entryLimit, byteLimit) { trim(form) }
    }

    /// Plays the recording through a version and the rest of its batch, as far as one turn of a loop has
    /// time for. To the end it applies no patch: that state is known.
    package func play(through goal: UInt64) {
        precondition(
            (lastVersion...headVersion).contains(goal), "Entries are played once, in order.")
        var (goal, version, byteCount) = (goal, lastVersion, 0)
        while goal > lastVersion, goal < headVersion, !isVisible(goal) { goal += 1 }
        while version < goal,
            byteCount <= Self.turnByteCount || goal == headVersion || !isVisible(version)
        {
            version += 1
            byteCount += entry(version).byteCount
        }
        settle(
            committed: version, head: headVersion,
            state(at: version).map { EncodedForm(json: $0.bytes) })
    }

    /// A state of so many bytes is to be kept, if it may be seen.
    private func isDue(_ byteCount: Int) -> Bool {
        let least = 2 * Double(byteCount) / Double(max(1, byteLimit))
        return share >= max(Self.leastShare, least)
    }

    private func isBeyond(_ count: Int, _ byteCount: Int) -> Bool {
        entries.count > count || entryByteCount > byteCount
    }

    /// Drops the oldest entries, an eighth more than must be, so that most entries drop none; a batch
    /// goes as a whole.
    private func trim(_ form: EncodedForm?) {
        let (count, byteCount) = (entryLimit / 8 * 7, byteLimit / 8 * 7)
        var (version, left) = (baseVersion, entryByteCount)
        while version < lastVersion,
            !isVisible(version) || headVersion - version > count || left > byteCount
        {
            version += 1
            left -= entry(version).byteCount
        }
        if let json = json(at: version) {
            base = json
        } else if let form {
            // Where a patch does not fit, the log begins anew with the last committed state.
            (version, base) = (lastVersion, SharedBytes(form.bytes()))
        }
        drop(through: version)
    }

    private func drop(through version: UInt64) {
        while baseVersion < version, let first = entries.popFirst() {
            entryByteCount -= first.byteCount
            (baseVersion, start) = (first.version, first.at)
        }
        while let first = checkpoints.first, first.version <= baseVersion {
            checkpoints.removeFirst()
        }
    }

    /// Begins with the state that was visible at a version, or behind the batch that it is of: what that
    /// has changed is told by its last entry alone.
    func forget(before version: UInt64) {
        var visible = min(version, lastVersion)
        guard visible >= baseVersion else { return }
        while !isVisible(visible) { visible += 1 }
        guard let json = json(at: visible) else { return }
        (base, lastRead) = (json, nil)
        drop(through: visible)
    }

    /// Lets go of the state that was read last, and where memory is short of all that makes reading
    /// faster.
    func dropCaches(isTight: Bool) {
        lastRead = nil
        if isTight { checkpoints = [] }
    }

    // MARK: Reading

    private func entry(_ version: UInt64) -> EncodedEntry {
        entries[Int(version - baseVersion) - 1]
    }

    /// The state behind an entry was visible: it is no entry inside of a batch.
    private func isVisible(_ version: UInt64) -> Bool {
        version == baseVersion || entry(version).isLast
    }

    /// The committed entries behind a version, so many at most.
    package func entries(after version: UInt64, limit: Int) -> [EncodedEntry] {
        precondition(version >= baseVersion && limit >= 0, "What is gone is not asked for.")
        guard version < lastVersion else { return [] }
        let committed = entries[Int(version - baseVersion)..<Int(lastVersion - baseVersion)]
        return Array(committed.prefix(limit))
    }

    /// The version whose state is shown for another one: itself, or inside of a batch the one before
    /// that; nil where it is not in the log.
    package func visibleVersion(at version: UInt64) -> UInt64? {
        guard (baseVersion...lastVersion).contains(version) else { return nil }
        var visible = version
        while !isVisible(visible) { visible -= 1 }
        return visible
    }

    /// The state at a visible version as JSON, as it was; nil where a patch does not fit.
    package func state(at version: UInt64) -> SharedBytes? {
        guard let json = json(at: version) else { return nil }
        lastRead = (version, json)
        return json
    }

    /// The present state, as compact JSON as its entries and its base.
    package var json: SharedBytes {
        guard let json = state(at: lastVersion) else {
            preconditionFailure("All patches of a recording have fitted when it was read.")
        }
        return json
    }

    private func json(at version: UInt64) -> SharedBytes? {
        precondition((baseVersion...headVersion).contains(version), "The log has the version.")
        let known = way(to: version)
        let patches = (known.version..<version).compactMap { entry($0 + 1).patch }
        guard !patches.isEmpty else { return known.json }
        var document = PatchedDocument(known.json.bytes)
        do throws(PatchFailure) {
            for patch in patches { try document.apply(patch.span) }
        } catch {
            return nil
        }
        return SharedBytes(document.bytes())
    }

    /// The latest state that is known up to a version.
    func way(to version: UInt64) -> Known {
        if let end, end.version == version { return end }
        let known = checkpoints.last { $0.version <= version } ?? (baseVersion, base)
        guard let lastRead, (known.version...version).contains(lastRead.version) else {
            return known
        }
        return lastRead
    }
}
