package import Bytes
package import Journaling
import StateCoding

/// The entries of a recording on their way into the session that plays it, and the state that they
/// have led to.
package struct ReplayTape: Sendable {
    /// Entries that were played, and the state behind them.
    package struct Played: Sendable {
        package let entries: ArraySlice<EncodedEntry>
        package let state: SharedBytes
    }

    /// The bytes of entries that are played in one turn of a loop.
    private static let turnByteCount = 256 * 1024

    /// The version of the present state.
    package private(set) var version: UInt64
    /// The last version that changed the state.
    package private(set) var lastChange: UInt64
    /// The present state, as compact JSON.
    package private(set) var state: SharedBytes
    private let recording: Recording
    /// The present state as patches change it; nil at the end.
    private var document: PatchedDocument?
    private var upcomingByteCount: Int

    /// A recording at its beginning.
    package init(_ recording: Recording) {
        self.recording = recording
        version = recording.version
        lastChange = recording.version
        state = recording.header.state
        document = PatchedDocument(state.bytes)
        upcomingByteCount = recording.byteCount
    }

    /// The memory that it takes beside the entries that were played, in bytes.
    package var byteCount: Int {
        upcomingByteCount + state.uncountedByteCount + (document?.heldByteCount ?? 0)
    }

    /// Plays the entries through a version and the rest of its batch, as many as one turn of a loop
    /// has time for. To the end it takes none: that state is known.
    package mutating func play(through goal: UInt64) -> Played {
        precondition(
            (version...recording.lastVersion).contains(goal), "Entries are played once, in order.")
        let all = recording.entries
        let start = Int(version - recording.version)
        var end = Int(goal - recording.version)
        while end > start, end < all.count, !all[end - 1].isLast { end += 1 }
        if end == all.count { document = nil } else { end = applied(start..<end) }
        let entries = all[start..<end]
        version += UInt64(entries.count)
        upcomingByteCount -= entries.reduce(0) { $0 + $1.byteCount }
        if let changed = entries.last(where: { $0.patch != nil }) {
            lastChange = changed.version
            state = document.map { SharedBytes($0.bytes()) } ?? recording.end
        }
        return Played(entries: entries, state: state)
    }

    /// Applies the patches of some entries, as many as one turn of a loop has time for; a batch is not
    /// parted.
    ///
    /// - Returns: the index behind the last one.
    private mutating func applied(_ range: Range<Int>) -> Int {
        var byteCount = 0
        for index in range {
            let entry = recording.entries[index]
            byteCount += entry.byteCount
            do throws(PatchFailure) {
                if let patch = entry.patch { try document?.apply(patch.span) }
            } catch {
                preconditionFailure("All patches have fitted when the recording was read.")
            }
            if byteCount > Self.turnByteCount, entry.isLast { return index + 1 }
        }
        return range.upperBound
    }
}
