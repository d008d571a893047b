package import Bytes
package import Journaling
import StateCoding

/// The entries of a recording on their way into the session that plays it, and the state that they
/// have led to.
package final class ReplayTape {
    /// The bytes of entries that are played in one turn of a loop.
    private static let turnByteCount = 256 * 1024

    private let recording: Recording
    private var present: PatchedState
    /// The present state, as compact JSON.
    package private(set) var json: SharedBytes
    private var upcomingByteCount: Int

    /// A recording at its beginning.
    package init(_ recording: Recording) {
        self.recording = recording
        json = recording.state
        present = PatchedState(json.bytes, at: recording.version)
        upcomingByteCount = recording.byteCount
    }

    /// The version of the present state.
    package var version: UInt64 { present.version }
    /// The last version that changed the state.
    package var lastChange: UInt64 { present.lastChange }
    /// The memory that it takes beside the entries that were played, in bytes.
    package var byteCount: Int {
        upcomingByteCount + json.uncountedByteCount
            + (version < recording.lastVersion ? present.heldByteCount : 0)
    }

    /// Plays the entries through a version and the rest of its batch, as many as one turn of a loop
    /// has time for. To the end it applies no patch: that state is known.
    package func play(through goal: UInt64) -> ArraySlice<EncodedEntry> {
        precondition(
            (version...recording.lastVersion).contains(goal), "Entries are played once, in order.")
        let all = recording.entries
        let start = Int(version - recording.version)
        var end = Int(goal - recording.version)
        while end > start, end < all.count, !all[end - 1].isLast { end += 1 }
        if end == all.count {
            let change = all[start...].last { $0.patch != nil }?.version
            json = recording.end
            present = PatchedState(
                json.bytes, at: recording.lastVersion, lastChange: change ?? lastChange)
        } else {
            end = apply(start..<end)
        }
        let entries = all[start..<end]
        upcomingByteCount -= entries.reduce(0) { $0 + $1.byteCount }
        return entries
    }

    /// Applies the patches of some entries, as many as one turn of a loop has time for; a batch is not
    /// parted.
    ///
    /// - Returns: the index behind the last one.
    private func apply(_ range: Range<Int>) -> Int {
        let former = lastChange
        defer { if lastChange != former { json = SharedBytes(present.bytes()) } }
        var byteCount = 0
        for index in range {
            let entry = recording.entries[index]
            byteCount += entry.byteCount
            do throws(PatchFailure) {
                try present.apply(entry.patch)
            } catch {
                preconditionFailure("All patches have fitted when the recording was read.")
            }
            if byteCount > Self.turnByteCount, entry.isLast { return index + 1 }
        }
        return range.upperBound
    }
}
