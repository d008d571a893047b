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

    /// The journal wants the bytes of entries; false where the process's memory is all that it keeps
    /// them in.
    var keepsEntries: Bool { get }

    /// Appends entries behind `batch.expected`, all or none.
    ///
    /// Returns the outcome, or nil: `batch.receiver` then gets it with the batch's ticket, once
    /// and from any thread.
    ///
    /// - Parameter entries: as bytes; none where the journal wants none.
    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome?

    /// Takes in nothing more, and finishes what was taken in.
    func close() async
}

/// A journal that keeps nothing itself: a session lasts as long as the process that holds it.
///
/// It opens and appends without suspending, and never asks for the bytes of an entry.
package struct MemoryJournal: Journal {
    /// A journal without memory of its own.
    package init() {}

    /// `memory`
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

    /// Nothing is to be finished.
    package func close() async {}
}

/// The reason for which a journal did not do what it was asked for.
@usableFromInline
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

/// Consecutive entries of one session on their way into a journal, one at least.
///
/// - lease: the right to append, as the session was opened.
/// - expected: the version of the session's last entry before these: where the journal knows another
///   one, the batch is refused, or stale.
/// - count: of entries; the first has the version `expected + 1`.
/// - receiver: gets an outcome that comes later.
/// - ticket: the name under which the receiver gets the outcome.
package typealias AppendBatch = (
    lease: Lease, expected: UInt64, count: Int, receiver: any AppendReceiver, ticket: UInt64
)

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

/// The outcome of the batch that has a ticket.
package typealias TicketOutcome = (ticket: UInt64, outcome: AppendOutcome)

/// The side of an event loop to which a journal reports.
package protocol AppendReceiver: AnyObject, Sendable {
    /// Takes the outcomes of batches, those of one commit in one call; from any thread.
    func appended(_ outcomes: [TicketOutcome])
}
