package import Redux

/// A session's state at one version.
package struct StoredDocument: Sendable, Hashable {
    /// The version of the last entry.
    package var version: UInt64
    /// The version of the last entry that changed the state.
    package var lastChange: UInt64
    /// The time of the last entry, which no later one comes before; nil where there is no entry.
    package var lastTime: Timestamp?
    /// The version of the application's schema that the JSON is of.
    package var schema: Int
    /// The state as JSON.
    package var json: [UInt8]

    /// A state at a version.
    package init(
        version: UInt64, lastChange: UInt64, lastTime: Timestamp?, schema: Int, json: [UInt8]
    ) {
        self.version = version
        self.lastTime = lastTime
        self.lastChange = lastChange
        self.schema = schema
        self.json = json
    }
}
