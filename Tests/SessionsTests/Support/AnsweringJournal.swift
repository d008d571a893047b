import Journaling
import Synchronization

/// A journal that says of each batch what the test says; without an outcome it answers later.
final class AnsweringJournal: Journal {
    private struct Script {
        var outcome: AppendOutcome?
        var tickets: [UInt64] = []
        var entries: [EncodedEntry] = []
        var states: [UInt64: [UInt8]] = [:]
    }

    private let script: Mutex<Script>

    init(_ outcome: AppendOutcome?, keepsEntries: Bool) {
        self.keepsEntries = keepsEntries
        script = Mutex(Script(outcome: outcome))
    }

    var mode: JournalMode { .durable }
    let keepsEntries: Bool
    /// The entries that were handed over.
    var entries: [EncodedEntry] { script.withLock { $0.entries } }
    /// The states that came with them, by their versions.
    var states: [UInt64: [UInt8]] { script.withLock { $0.states } }
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

    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? {
        script.withLock { script in
            script.entries += entries
            script.states[batch.expected + UInt64(batch.count)] = batch.state
            if script.outcome == nil { script.tickets.append(batch.ticket) }
            return script.outcome
        }
    }

    func close() async {}
}
