import Journaling
import StateCoding
import Synchronization

/// A journal that says of each batch what the test says; without an outcome it answers later.
final class AnsweringJournal: Journal {
    private struct Script {
        var outcome: AppendOutcome?
        var tickets: [UInt64] = []
        var entries: [EntryContent] = []
    }

    private let script: Mutex<Script>

    init(_ outcome: AppendOutcome?) {
        script = Mutex(Script(outcome: outcome))
    }

    var mode: JournalMode { .durable }
    /// The entries that were handed over.
    var entries: [EntryContent] { script.withLock { $0.entries } }
    /// The tickets of the batches that await an outcome, which are forgotten by that.
    func takeTickets() -> [UInt64] {
        script.withLock { script in
            defer { script.tickets = [] }
            return script.tickets
        }
    }
    /// From here on batches are answered so.
    func answer(_ outcome: AppendOutcome?) { script.withLock { $0.outcome = outcome } }

    func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? { nil }

    func append(
        _ batch: AppendBatch, _ content: () throws(EncodingFailure) -> [EntryContent]
    ) throws(EncodingFailure) -> AppendOutcome? {
        let entries = try content()
        return script.withLock { script in
            script.entries += entries
            if script.outcome == nil { script.tickets.append(batch.ticket) }
            return script.outcome
        }
    }

    func close() async {}
}
