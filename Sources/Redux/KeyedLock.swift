import Synchronization

/// Locks keys for asynchronous work: one at a time under a key, in the order of their coming.
final class KeyedLock: Sendable {
    private typealias Turn = CheckedContinuation<Void, any Error>

    private struct Queues {
        /// The turns that wait, by the keys that are locked.
        var waiting: [String: [(id: UInt64, turn: Turn)]] = [:]
        var lastID: UInt64 = 0
    }

    private let queues = Mutex(Queues())
    /// The order of the accesses, which ThreadSanitizer sees here, and not in a mutex.
    private let order = Atomic<Bool>(false)

    /// Does the work once the key is free; throws `CancellationError` where it is cancelled before.
    func withLock<Result>(
        _ key: String, _ work: () async throws -> Result
    ) async throws -> Result {
        try await enter(key)
        defer { leave(key) }
        return try await work()
    }

    private func enter(_ key: String) async throws {
        let id = withQueues { queues in
            queues.lastID += 1
            return queues.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let begins: Result<Void, any Error>? = withQueues { queues in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard queues.waiting[key] != nil else {
                        queues.waiting[key] = []
                        return .success(())
                    }
                    queues.waiting[key, default: []].append((id, turn))
                    return nil
                }
                if let begins { turn.resume(with: begins) }
            }
        } onCancel: {
            let turn: Turn? = withQueues { queues in
                guard let index = queues.waiting[key]?.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return queues.waiting[key]?.remove(at: index).turn
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    private func withQueues<Result>(_ body: (inout Queues) -> Result) -> Result {
        queues.withLock { queues in
            _ = order.load(ordering: .acquiring)
            defer { order.store(true, ordering: .releasing) }
            return body(&queues)
        }
    }

    private func leave(_ key: String) {
        let next: Turn? = withQueues { queues in
            guard queues.waiting[key]?.isEmpty == false else {
                queues.waiting[key] = nil
                return nil
            }
            return queues.waiting[key]?.removeFirst().turn
        }
        next?.resume()
    }
}
