package import Redux
package import StateCoding

/// The beginning of a session that a journal is to make.
package struct NewSession: Sendable {
    /// The failure of a state that has no JSON.
    package typealias Failure = EncodingFailure

    /// The first part of its tokens.
    package let epoch: String
    /// The time at which it was made.
    package let created: Timestamp
    /// The version of the application's schema that its states are of.
    package let schema: Int
    /// Writes the initial state as JSON, for a journal that keeps it.
    package let document: @Sendable () throws(Failure) -> [UInt8]

    /// A session whose version 0 is the state that `document` writes.
    package init(
        epoch: String, created: Timestamp, schema: Int,
        document: @escaping @Sendable () throws(Failure) -> [UInt8]
    ) {
        self.epoch = epoch
        self.created = created
        self.schema = schema
        self.document = document
    }
}
