/// A journal that keeps nothing itself: a session lasts as long as the process that holds it, and so
/// does what its sessions remember of their history.
///
/// It opens and appends without suspending, and never asks for the bytes of an entry.
package struct MemoryJournal: Journal {
    /// A journal without memory of its own.
    package init() {}

    package var mode: JournalMode { .memory }
    package var keepsEntries: Bool { false }

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
    package func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? { .kept }

    package func close() async {}
}
