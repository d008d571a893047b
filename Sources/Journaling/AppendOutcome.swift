/// The fate of a batch.
package enum AppendOutcome: Sendable, Hashable {
    /// The entries are as durable as the journal's mode promises.
    case kept
    /// The entries are not kept, for certain.
    case refused(JournalFailure)
    /// Another server has taken the session over.
    case stale
    /// The journal cannot say: the session has to be opened again, and what it then holds counts.
    case unknown
}
