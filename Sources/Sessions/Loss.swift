package import Journaling

/// The reason why an answer that rests on an entry cannot be given.
package enum Loss: Sendable, Hashable {
    /// The journal did not keep the entry.
    case refused(JournalFailure)
    /// The journal could not say whether it has.
    case unknown
    /// Another server has the session.
    case moved
    /// The session has ended.
    case ended
}
