package import Accounting
package import Redux

/// The things that have happened to a session, as far as others ask for them.
package struct SessionPast: Sendable {
    /// The instant of the last request about it.
    package internal(set) var lastUse: Instant
    /// The time of the last change, or of its making.
    package internal(set) var changed: Timestamp
    /// The reason why nothing is accepted any more.
    package internal(set) var frozen: String?
    package internal(set) var isEnded = false
    /// A client has posted to it since it came into memory.
    package internal(set) var wasPostedTo = false
    /// It plays a recording, and takes nothing.
    package internal(set) var isReplay = false
}
