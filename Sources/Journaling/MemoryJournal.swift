package import StateCoding

/// A journal that keeps nothing itself: a session lasts as long as the process that holds it.
///
/// It opens and appends without suspending, and never asks for the bytes of an entry.
package struct MemoryJournal: Journal {
    /// A journal without memory of its own.
    package init() {}

    /// `memory`
    package var mode: JournalMode { .memory }

    /// Makes the session; there are none but those that the process holds.
    package func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        new.map { new in
            OpenedSession(
                lease: Lease(session: 0, number: 0), epoch: new.epoch, created: new.created,
                document: nil)
        }
    }

    /// Keeps the entries, as the session's memory is all there is to keep them in.
    package func append(
        _ batch: AppendBatch, _ content: () throws(EncodingFailure) -> [EntryContent]
    ) throws(EncodingFailure) -> AppendOutcome? {
        .kept
    }

    /// Nothing is to be finished.
    package func close() async {}
}
