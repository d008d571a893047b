/// A place for values that outlive their session, each under a key: who is signed in, what was chosen last.
///
/// Of one key, reading and writing take turns in the order of the calls, so that what is asked for
/// last is what stays. One who is cancelled while it waits for its turn gives it up.
public struct SavedValues<Value: Sendable>: Sendable {
    private let read: @Sendable (String) async throws -> Value?
    /// Nil deletes.
    private let write: @Sendable (Value?, String) async throws -> Void
    private let turns = Turns(size: 1)

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
    }

    /// The value under a key; nil where there is none.
    public func load(_ key: String) async throws -> Value? {
        try await turns.withTurn(key) { try await read(key) }
    }

    /// Keeps a value under a key, in place of another.
    public func save(_ value: Value, under key: String) async throws {
        try await turns.withTurn(key) { try await write(value, key) }
    }

    /// Makes a value the one under a key, nil for none.
    ///
    /// - Parameter reading: writes only where something else is there.
    func keep(
        _ value: Value?, under key: String, reading: Bool
    ) async throws where Value: Equatable {
        try await turns.withTurn(key) {
            if reading, try await read(key) == value { return }
            try await write(value, key)
        }
    }

    /// Forgets what is under a key.
    public func delete(_ key: String) async throws {
        try await turns.withTurn(key) { try await write(nil, key) }
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
