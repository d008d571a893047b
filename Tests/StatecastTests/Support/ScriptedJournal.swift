import Journaling
import Synchronization

/// A journal that answers when the test says so, and what the test says.
final class ScriptedJournal: Journal {
    private struct Script {
        var batches: [JournalBatch] = []
        var open: [@Sendable (AppendOutcome) -> Void] = []
        var waiting: (count: Int, CheckedContinuation<Void, Never>)?
    }

    private let script = Mutex(Script())

    var mode: String { "scripted" }
    var commitsInline: Bool { false }

    func append(
        _ batch: JournalBatch, completion: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        let ready = script.withLock { script in
            script.batches.append(batch)
            script.open.append(completion)
            guard let waiting = script.waiting, script.open.count >= waiting.count else {
                return nil as CheckedContinuation<Void, Never>?
            }
            script.waiting = nil
            return waiting.1
        }
        ready?.resume()
    }

    /// Everything that was handed over.
    var batches: [JournalBatch] { script.withLock { $0.batches } }

    /// Waits until so many batches await their answer.
    func waitForAppends(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = script.withLock { script in
                if script.open.count < count { script.waiting = (count, continuation) }
                return script.open.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Answers the oldest batch that awaits it.
    func answer(_ outcome: AppendOutcome) {
        let completion = script.withLock { $0.open.isEmpty ? nil : $0.open.removeFirst() }
        completion?(outcome)
    }
}
