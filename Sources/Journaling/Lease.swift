/// The right to append to a session, until another server opens it.
package struct Lease: Sendable, Hashable {
    /// The journal's number for the session.
    package let session: Int64
    /// Counts the openings of the session.
    package let number: Int64

    /// A lease that a journal gives.
    package init(session: Int64, number: Int64) {
        self.session = session
        self.number = number
    }
}
