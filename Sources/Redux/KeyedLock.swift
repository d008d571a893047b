/// Locks keys for asynchronous work: one at a time under a key, in the order of their coming.
actor KeyedLock {
    private typealias Turn = CheckedContinuation<Void, any Error>

    /// The turns that wait, by the keys that are locked.
    private var waiting: [String: [(id: UInt64, turn: Turn)]] = [:]
    private var lastID: UInt64 = 0

    /// Does the work once the key is free; throws `CancellationError` where it is cancelled before.
    nonisolated func withLock<Result>(
        _ key: String, _ work: () async throws -> Result
    ) async throws -> Result {
        try await enter(key)
        do {
            let result = try await work()
            await leave(key)
            return result
        } catch {
            await leave(key)
            throw error
        }
    }

    private func enter(_ key: String) async throws {
        lastID += 1
        let id = lastID
        try Task.checkCancellation()
        guard waiting[key] != nil else {
            waiting[key] = []
            return
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (turn: Turn) in
                if Task.isCancelled { return turn.resume(throwing: CancellationError()) }
                waiting[key, default: []].append((id, turn))
            }
        } onCancel: {
            Task { await self.giveUp(id, key) }
        }
    }

    private func giveUp(_ id: UInt64, _ key: String) {
        guard let index = waiting[key]?.firstIndex(where: { $0.id == id }) else { return }
        waiting[key]?.remove(at: index).turn.resume(throwing: CancellationError())
    }

    private func leave(_ key: String) {
        guard waiting[key]?.isEmpty == false else {
            waiting[key] = nil
            return
        }
        waiting[key]?.removeFirst().turn.resume()
    }
}
