import Synchronization

/// A place for values that outlive their session, each under a key: who is signed in, what was chosen last.
///
/// Of one key, reading and writing take turns in the order of the calls, so that what is asked for
/// last is what stays. One who is cancelled while it waits for its turn gives it up.
public struct SavedValues<Value: Sendable>: Sendable {
    private let read: @Sendable (String) async throws -> Value?
    /// Nil deletes.
    private let write: @Sendable (Value?, String) async throws -> Void
    private let lock: KeyedLock

    /// Values that are kept by closures; what those throw reaches the caller.
    ///
    /// - Parameters:
    ///   - load: the value under a key; nil where there is none.
    ///   - save: keeps a value under a key, in place of another.
    ///   - delete: forgets what is under a key; no error where there is nothing.
    public init(
        load: @escaping @Sendable (_ key: String) async throws -> Value?,
        save: @escaping @Sendable (_ value: Value, _ key: String) async throws -> Void,
        delete: @escaping @Sendable (_ key: String) async throws -> Void
    ) {
        read = load
        write = { value, key in
            if let value { try await save(value, key) } else { try await delete(key) }
        }
        lock = KeyedLock()
    }

    /// The value under a key; nil where there is none.
    public func load(_ key: String) async throws -> Value? {
        try await lock.withLock(key) { try await read(key) }
    }

    /// Keeps a value under a key, in place of another.
    public func save(_ value: Value, under key: String) async throws {
        try await lock.withLock(key) { try await write(value, key) }
    }

    /// Makes a value the one under a key, nil for none: writes only where something else is there.
    func keep(_ value: Value?, under key: String) async throws where Value: Equatable {
        try await lock.withLock(key) {
            guard try await read(key) != value else { return }
            try await write(value, key)
        }
    }

    /// Forgets what is under a key.
    public func delete(_ key: String) async throws {
        try await lock.withLock(key) { try await write(nil, key) }
    }

    /// Keeps values in memory, at most `limit`; the one kept longest makes room.
    public static func inMemory(limit: Int = 100_000) -> SavedValues {
        precondition(limit > 0, "A memory of values needs room for one.")
        let memory = Memory(limit: limit)
        return SavedValues(
            load: { await memory.values[$0] }, save: { await memory.save($0, under: $1) },
            delete: { await memory.delete($0) })
    }

    private actor Memory {
        private(set) var values: [String: Value] = [:]
        private var order: [String] = []
        private let limit: Int

        init(limit: Int) {
            self.limit = limit
        }

        func save(_ value: Value, under key: String) {
            if values.updateValue(value, forKey: key) == nil { order.append(key) }
            if order.count > limit { values[order.removeFirst()] = nil }
        }

        func delete(_ key: String) {
            guard values.removeValue(forKey: key) != nil else { return }
            order.removeAll { $0 == key }
        }
    }
}

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
