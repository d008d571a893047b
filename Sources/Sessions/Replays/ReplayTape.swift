package import Bytes
import StateCoding

/// The entries of a recording on their way into the session that plays it, and the state that they
/// have led to.
package struct ReplayTape: Sendable {
    /// Entries that were played, and the state behind them.
    package struct Played: Sendable {
        package let entries: ArraySlice<LoggedEntry>
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
    private var document: PatchedDocument
    private var upcomingByteCount: Int

    /// A recording at its beginning.
    package init(_ recording: Recording) {
        self.recording = recording
        version = recording.version
        lastChange = recording.version
        state = recording.state
        document = PatchedDocument(recording.state.bytes)
        upcomingByteCount = recording.entries.reduce(0) { $0 + $1.byteCount }
    }

    /// The memory that the rest of the recording takes, in bytes.
    package var byteCount: Int {
        upcomingByteCount + recording.end.uncountedByteCount + state.uncountedByteCount
    }

    /// Plays the entries through a version, as many as one turn of a loop has time for. To the end
    /// it takes none: that state is known.
    package mutating func play(through goal: UInt64) -> Played {
        precondition(
            (version...recording.lastVersion).contains(goal), "Entries are played once, in order.")
        let start = Int(version - recording.version)
        let end =
            goal == recording.lastVersion
            ? recording.entries.count : applied(start..<Int(goal - recording.version))
        let entries = recording.entries[start..<end]
        version += UInt64(entries.count)
        upcomingByteCount -= entries.reduce(0) { $0 + $1.byteCount }
        if let changed = entries.last(where: { $0.patch != nil }) {
            lastChange = changed.version
            state =
                version == recording.lastVersion
                ? recording.end : SharedBytes(document.bytes())
        }
        return Played(entries: entries, state: state)
    }

    /// Applies the patches of some entries, as many as one turn of a loop has time for.
    ///
    /// - Returns: the index behind the last one.
    private mutating func applied(_ range: Range<Int>) -> Int {
        var byteCount = 0
        for index in range {
            guard byteCount <= Self.turnByteCount else { return index }
            let entry = recording.entries[index]
            byteCount += entry.byteCount
            do throws(PatchFailure) {
                if let patch = entry.patch { try document.apply(patch.span) }
            } catch {
                preconditionFailure("All patches have fitted when the recording was read.")
            }
        }
        return range.upperBound
    }
}
