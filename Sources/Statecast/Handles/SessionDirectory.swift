import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets

/// The sessions of one server as its own code finds them: by application, path and id, on their
/// loops. Counts what is under way, and ends it with the server.
final class SessionDirectory: Sendable {
    private struct Board {
        var isServing = false
        var inboxes: [LoopMailbox<SessionRegistry>] = []
        /// Tell those whose calls or sequences are under way that the server has stopped.
        var interruptions: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    /// A call, or a sequence, that is under way, and the door of its session's loop.
    typealias Entry = (number: UInt64, inbox: LoopMailbox<SessionRegistry>)
    /// Answers a call of a handle: an event loop does so once, and later answers do nothing.
    typealias Reply<Value> = @Sendable (Result<Value, SessionError>) -> Void

    /// The applications in the order of the registries.
    private let mounts: [any MountedApplication]
    let limits: SessionLimits
    /// The journal's.
    let hash: KeyedHash
    let budget: MemoryBudget
    private let board = Lock(Board())

    init(
        _ mounts: [any MountedApplication], limits: SessionLimits, hash: KeyedHash,
        _ budget: MemoryBudget
    ) {
        self.hash = hash
        self.budget = budget
        self.mounts = mounts
        self.limits = limits
    }

    /// The place of an application among those that are mounted; throws where it is not clear which
    /// one is meant.
    func place<App: Application>(
        of application: App.Type, at path: String?
    ) throws(SessionError) -> (index: Int, definition: ApplicationDefinition<App>) {
        let name = path.map { $0 == "/" ? "" : $0 }
        var found: (index: Int, definition: ApplicationDefinition<App>)?
        var paths: [String] = []
        for index in mounts.indices {
            guard let mount = mounts[index] as? ApplicationDefinition<App>,
                name == nil || mount.name == name
            else { continue }
            found = (index, mount)
            paths.append(mount.name.isEmpty ? "/" : mount.name)
        }
        guard paths.count < 2 else { throw .ambiguousMount(paths) }
        guard let found else { throw .notMounted("\(App.self)") }
        return found
    }

    // MARK: The server

    /// The loops that the sessions live on.
    func connect(_ loops: [EventLoop]) {
        board.withLock { board in
            precondition(board.inboxes.isEmpty, "A server has its loops from the beginning.")
            board.inboxes = loops.map { LoopMailbox(loop: $0) }
        }
    }

    /// The door of a loop.
    func inbox(of loop: EventLoop) -> LoopMailbox<SessionRegistry> {
        board.withLock { board in
            precondition(board.inboxes.indices.contains(loop.index), "A loop is the server's own.")
            return board.inboxes[loop.index]
        }
    }

    /// The server has started.
    func open() { board.withLock { $0.isServing = true } }

    /// The server stops: what is under way ends with an error, and the sessions go to sleep whose work
    /// goes on at the next start.
    func close() async {
        let (interruptions, inboxes) = board.withLock { board in
            defer { (board.isServing, board.interruptions) = (false, [:]) }
            return (board.interruptions.values, board.isServing ? board.inboxes : [])
        }
        for interrupt in interruptions { interrupt() }
        let _: [Void] = await gather(from: inboxes) { registry, loop, told in
            registry.layAllToRest(on: loop) { told(()) }
        }
    }

    // MARK: Calls

    /// Enters something that is under way for a session.
    ///
    /// - Parameter interrupt: called once where the server stops meanwhile.
    func enter(
        _ id: SessionID, _ interrupt: @escaping @Sendable () -> Void
    ) throws(SessionError) -> Entry {
        try board.withLock { board throws(SessionError) in
            guard board.isServing else { throw .notServing }
            guard board.interruptions.count < limits.callCount else {
                throw SessionError(.tooManyCalls)
            }
            board.lastNumber += 1
            board.interruptions[board.lastNumber] = interrupt
            let index = Int(id.hash % UInt64(board.inboxes.count))
            return (board.lastNumber, board.inboxes[index])
        }
    }

    /// Has the loop of a session do something about it.
    func post(
        _ name: SessionName,
        _ body: @escaping @Sendable (SessionRegistry, isolated EventLoop) -> Void
    ) {
        guard let id = SessionID(name.id) else { return }
        let inbox = board.withLock { board in
            board.isServing ? board.inboxes[Int(id.hash % UInt64(board.inboxes.count))] : nil
        }
        inbox?.post(body)
    }

    /// What each loop says of its sessions.
    ///
    /// - Parameter inboxes: those of the loops; nil: of all, as long as the server serves.
    func gather<Value: Sendable>(
        from inboxes: [LoopMailbox<SessionRegistry>]? = nil,
        _ say:
            @escaping @Sendable (
                SessionRegistry, isolated EventLoop, @escaping @Sendable (Value) -> Void
            ) -> Void
    ) async -> [Value] {
        let inboxes = inboxes ?? board.withLock { $0.isServing ? $0.inboxes : [] }
        return await withTaskGroup { group in
            for inbox in inboxes {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        inbox.post { say($0, $1) { continuation.resume(returning: $0) } }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Ends the streams and held requests of a principal here.
    ///
    /// - Parameter name: of the session; nil: in all.
    func closeStreams(of principal: String, in name: SessionName? = nil) async {
        let _: [Void] = await gather { registry, loop, told in
            registry.closeStreams(of: principal, in: name, on: loop)
            told(())
        }
    }

    /// Has the other servers do something; false where this one knows of none.
    @discardableResult
    func tell(_ news: ServerNews) async -> Bool {
        do throws(SessionError) {
            return try await call(SessionID.random()) { registry, reply, loop in
                registry.tell(news, on: loop) { reply(.success($0)) }
            }
        } catch {
            return false
        }
    }

    /// Something that was entered is not over.
    func isUnderWay(_ number: UInt64) -> Bool {
        board.withLock { $0.interruptions[number] != nil }
    }

    /// Something that was entered is over; false where it has been before.
    @discardableResult
    func leave(_ number: UInt64) -> Bool {
        board.withLock { $0.interruptions.removeValue(forKey: number) != nil }
    }

    /// Has the loop of a session do something, and waits for the answer.
    ///
    /// - Parameter interrupted: the answer where the server stops meanwhile.
    func call<Value: Sendable>(
        _ id: SessionID, interrupted: SessionError = .notServing,
        _ body:
            @escaping @Sendable (SessionRegistry, @escaping Reply<Value>, isolated EventLoop) ->
            Void
    ) async throws(SessionError) -> Value {
        let result: Result<Value, SessionError> = await withCheckedContinuation { continuation in
            do throws(SessionError) {
                let entry = try enter(id) { continuation.resume(returning: .failure(interrupted)) }
                entry.inbox.post { registry, loop in
                    body(
                        registry,
                        { if self.leave(entry.number) { continuation.resume(returning: $0) } }, loop
                    )
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}
