package import Journaling
package import Bytes
package import Redux

/// The timeline of a session as a file tells it: a state, and the entries that followed.
///
///     {"application":"/counter","schema":1,"start":"2026-11-21T09:30:00.123Z","version":0,"state":{"count":0}}
///     {"version":1,"at":1520,"origin":"client","action":{"type":"incremented"},"patch":[…]}
///
/// Each patch fits: `RecordingReader` has applied them all.
package struct Recording: Sendable {
    /// The first line.
    package struct Header: Sendable {
        /// The path of the application, `/counter`.
        package let application: String
        /// The version of its states' JSON.
        package let schema: Int
        /// The time that the entries' times count from.
        package let start: Timestamp
        /// The version of the state that it begins with.
        package let version: UInt64
        /// That state, as compact JSON.
        package let state: SharedBytes
    }

    package let header: Header
    /// The entries, each a version behind the one before it.
    package let entries: [EncodedEntry]
    /// The state behind the last of them.
    package let end: SharedBytes

    /// The version of the state that it begins with.
    package var version: UInt64 { header.version }
    /// The version behind the last entry.
    package var lastVersion: UInt64 { version + UInt64(entries.count) }
    /// The memory that the entries and the last state take, in bytes.
    var byteCount: Int { entries.reduce(end.uncountedByteCount) { $0 + $1.byteCount } }
}
