package import Redux

/// The things that have happened to a session, as far as others ask for them.
package struct SessionPast: Sendable {
    /// The time of the last change, or of its making.
    package internal(set) var changed: Timestamp
    /// A client has posted to it since it came into memory.
    package internal(set) var wasPostedTo = false
    /// The reason why nothing is accepted any more.
    package internal(set) var frozen: String?
}
