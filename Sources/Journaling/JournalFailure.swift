/// The reason for which a journal did not do what it was asked for.
package enum JournalFailure: Error, Sendable, Hashable {
    /// There is no room; it may come.
    case full
    /// The journal cannot be reached, or is broken for the moment.
    case unavailable
    /// More waits for the journal than it may hold.
    case busy
    /// The kept entries of the session cannot be trusted; `good` is the last version that can be.
    case damaged(good: UInt64?)
    /// Another server has the session.
    case heldElsewhere
}
