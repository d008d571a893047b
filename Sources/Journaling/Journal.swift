package import StateCoding

/// The promise of a journal about an entry that it has kept.
public enum JournalMode: String, Sendable, Hashable {
    /// The entry lasts as long as the process.
    case memory
    /// The entry outlives the process at once, and a power loss after a moment.
    case relaxed
    /// The entry outlives a power loss.
    case durable
}

/// A store of sessions and their entries: nothing is visible outside before it is kept here.
///
/// A server opens a session before it uses it, and appends behind the version that it knows. The
/// calls for one lease come in their order, from one event loop, and are judged in that order.
package protocol Journal: Sendable {
    /// The promise that a session's description names.
    var mode: JournalMode { get }

    /// Takes a session over, or makes it; from then on no other server can append to it.
    ///
    /// - Parameter new: the beginning of the session where there is none; without it, a session
    ///   that does not exist is nil.
    func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession?

    /// Appends entries behind `batch.expected`, all or none.
    ///
    /// Returns the outcome, or nil: `batch.receiver` then gets it with the batch's ticket, once
    /// and from any thread.
    ///
    /// - Parameter content: makes the bytes of the entries; called at most once, before this
    ///   returns, and never by a journal that keeps no bytes. Where it throws, nothing is appended.
    func append(
        _ batch: AppendBatch, _ content: () throws(EncodingFailure) -> [EntryContent]
    ) throws(EncodingFailure) -> AppendOutcome?

    /// Takes in nothing more, and finishes what was taken in.
    func close() async
}
