import Synchronization

/// Lets so much asynchronous work through at a time, the rest in the order of its coming.
final class Turns: Sendable {
    private typealias Turn = CheckedContinuation<Void, any Error>

    private struct State {
        /// The number of turns that are taken.
        var taken = 0
        var waiting: [(id: UInt64, turn: Turn)] = []
        var lastID: UInt64 = 0
        var isClosed = false

        /// Hands a turn on to the next one that waits.
        mutating func leave() -> Turn? {
            if !waiting.isEmpty { return waiting.removeFirst().turn }
            taken = max(0, taken - 1)
            return nil
        }
    }

    private let size: Int
    private let state = Mutex(State())
    /// The order of the accesses, which ThreadSanitizer sees here, and not in a mutex.
    private let order = Atomic<Bool>(false)

    init(size: Int) {
        precondition(size > 0, "One at a time is let through at least.")
        self.size = size
    }

    /// Waits for a turn; throws `CancellationError` where the task is cancelled or nothing is let
    /// through any more.
    func enter() async throws {
        let id = update { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let begins: Result<Void, any Error>? = update { state in
                    if Task.isCancelled || state.isClosed { return .failure(CancellationError()) }
                    guard state.taken >= size else {
                        state.taken += 1
                        return .success(())
                    }
                    state.waiting.append((id, turn))
                    return nil
                }
                if let begins { turn.resume(with: begins) }
            }
        } onCancel: {
            let turn = update { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    /// Ends a turn, and lets the next one through.
    func leave() {
        update { $0.leave() }?.resume()
    }

    /// Lets nothing through any more.
    func close() {
        let waiting = update { state in
            defer { state.waiting = [] }
            state.isClosed = true
            return state.waiting
        }
        for (_, turn) in waiting { turn.resume(throwing: CancellationError()) }
    }

    private func update<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            _ = order.load(ordering: .acquiring)
            defer { order.store(true, ordering: .releasing) }
            return body(&state)
        }
    }
}
