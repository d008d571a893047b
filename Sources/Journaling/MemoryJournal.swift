public import StateCoding

/// A journal that keeps nothing itself: a session lasts as long as the process that holds it.
///
/// It opens and appends without suspending, and never asks for the bytes of an entry.
public struct MemoryJournal: Journal {
    /// A journal without memory of its own.
    public init() {}

    /// `memory`
    public var mode: JournalMode { .memory }

    /// Makes the session; there are none but those that the process holds.
    public func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        new.map { new in
            OpenedSession(
                lease: Lease(session: 0, number: 0), epoch: new.epoch, created: new.created,
                document: nil)
        }
    }

    /// Keeps the entries, as the session's memory is all there is to keep them in.
    @inlinable
    public func append(
        _ batch: AppendBatch, _ content: () throws(EncodingFailure) -> [EntryContent]
    ) throws(EncodingFailure) -> AppendOutcome? {
        .kept
    }

    /// Nothing is to be finished.
    public func close() async {}
}
