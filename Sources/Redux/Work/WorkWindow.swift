import Synchronization

/// Bounds the actions of one run that are on their way to the session: a send beyond the bound waits.
final class WorkWindow: Sendable {
    private typealias Turn = CheckedContinuation<Void, any Error>

    private struct Turns {
        var count = 0
        var isClosed = false
        var waiting: [(id: UInt64, turn: Turn)] = []
        var lastID: UInt64 = 0
    }

    private let size: Int
    private let turns = Mutex(Turns())
    /// The order of the accesses, which ThreadSanitizer sees here, and not in a mutex.
    private let order = Atomic<Bool>(false)

    init(size: Int) {
        precondition(size > 0, "A window lets one action through.")
        self.size = size
    }

    /// Lets an action through once there is room; throws `CancellationError` where the task is
    /// cancelled or the run is over.
    func enter() async throws {
        try Task.checkCancellation()
        let id: UInt64? = try withTurns { turns in
            if turns.isClosed { throw CancellationError() }
            guard turns.count >= size else {
                turns.count += 1
                return nil
            }
            turns.lastID += 1
            return turns.lastID
        }
        if let id { try await wait(id) }
    }

    private func wait(_ id: UInt64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let begins: Result<Void, any Error>? = withTurns { turns in
                    if Task.isCancelled || turns.isClosed { return .failure(CancellationError()) }
                    guard turns.count >= size else {
                        turns.count += 1
                        return .success(())
                    }
                    turns.waiting.append((id, turn))
                    return nil
                }
                if let begins { turn.resume(with: begins) }
            }
        } onCancel: {
            let turn = withTurns { turns in
                turns.waiting.firstIndex { $0.id == id }.map { turns.waiting.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    /// Notes that the session has taken one, and lets the next one through.
    func leave() {
        let next: Turn? = withTurns { turns in
            guard !turns.waiting.isEmpty else {
                turns.count = max(0, turns.count - 1)
                return nil
            }
            return turns.waiting.removeFirst().turn
        }
        next?.resume()
    }

    /// Lets nothing through any more.
    func close() {
        let turns = withTurns { turns in
            defer { turns.waiting = [] }
            turns.isClosed = true
            return turns.waiting
        }
        for (_, turn) in turns { turn.resume(throwing: CancellationError()) }
    }

    private func withTurns<Result>(_ body: (inout Turns) throws -> Result) rethrows -> Result {
        try turns.withLock { turns in
            _ = order.load(ordering: .acquiring)
            defer { order.store(true, ordering: .releasing) }
            return try body(&turns)
        }
    }
}
