public import Statecast

/// Where it is kept who is signed in, by the server's session: read at launch, saved on sign-in,
/// deleted on sign-out. Tokens live here, never in a state.
public struct UserSessionStore: Sendable {
    /// Who is signed in; nil for nobody.
    public var load: @Sendable (SessionID) async throws -> UserSession?
    /// Keeps who is signed in.
    public var save: @Sendable (UserSession, SessionID) async throws -> Void
    /// Forgets.
    public var delete: @Sendable (SessionID) async throws -> Void

    /// A store made of closures.
    public init(
        load: @escaping @Sendable (SessionID) async throws -> UserSession?,
        save: @escaping @Sendable (UserSession, SessionID) async throws -> Void,
        delete: @escaping @Sendable (SessionID) async throws -> Void
    ) {
        self.load = load
        self.save = save
        self.delete = delete
    }

    /// Keeps them in memory, at most `limit`; the one kept longest makes room.
    public static func inMemory(limit: Int = 100_000) -> UserSessionStore {
        let memory = Memory(limit: limit)
        return UserSessionStore(
            load: { await memory.sessions[$0] }, save: { await memory.save($0, for: $1) },
            delete: { await memory.delete($0) })
    }

    private actor Memory {
        private(set) var sessions: [SessionID: UserSession] = [:]
        private var order: [SessionID] = []
        private let limit: Int

        init(limit: Int) {
            self.limit = limit
        }

        func save(_ session: UserSession, for id: SessionID) {
            if sessions.updateValue(session, forKey: id) == nil { order.append(id) }
            if order.count > limit { sessions[order.removeFirst()] = nil }
        }

        func delete(_ id: SessionID) {
            guard sessions.removeValue(forKey: id) != nil else { return }
            order.removeAll { $0 == id }
        }
    }
}
