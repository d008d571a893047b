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
        /// Tell those whose calls are under way that the server has stopped, or they are given up.
        var interruptions: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

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

    /// The number of a call, or of those that read for one sequence, of which one is under way at a time.
    func draw() -> UInt64 {
        board.withLock { board in
            board.lastNumber += 1
            return board.lastNumber
        }
    }

    /// Enters a call, and finds the door of its session's loop.
    ///
    /// - Parameter interrupt: called once where the server stops meanwhile.
    private func enter(
        _ number: UInt64, _ id: SessionID, _ interrupt: @escaping @Sendable () -> Void
    ) throws(SessionError) -> LoopMailbox<SessionRegistry> {
        try board.withLock { board throws(SessionError) in
            guard board.isServing else { throw .notServing }
            guard board.interruptions.count < limits.callCount else {
                throw SessionError(.tooManyCalls)
            }
            board.interruptions[number] = interrupt
            return board.inboxes[Int(id.hash % UInt64(board.inboxes.count))]
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

    /// A call is not over.
    func isUnderWay(_ number: UInt64) -> Bool {
        board.withLock { $0.interruptions[number] != nil }
    }

    /// Nobody waits for a call any more.
    func giveUp(_ number: UInt64) {
        board.withLock { $0.interruptions.removeValue(forKey: number) }?()
    }

    /// A call is over; false where it has been before.
    private func leave(_ number: UInt64) -> Bool {
        board.withLock { $0.interruptions.removeValue(forKey: number) != nil }
    }

    /// Has the loop of a session do something, and waits for the answer.
    ///
    /// - Parameters:
    ///   - reader: its number, where the call is given up with its task.
    ///   - interrupted: the answer where the server stops meanwhile.
    func call<Value: Sendable>(
        _ id: SessionID, by reader: UInt64? = nil, interrupted: SessionError = .notServing,
        _ body:
            @escaping @Sendable (SessionRegistry, @escaping Reply<Value>, isolated EventLoop) ->
            Void
    ) async throws(SessionError) -> Value {
        let number = reader ?? draw()
        let result: Result<Value, SessionError> = await withCheckedContinuation { continuation in
            do throws(SessionError) {
                let inbox = try enter(number, id) {
                    continuation.resume(returning: .failure(interrupted))
                }
                // Who reads may have gone before it was entered; who goes later is forgotten behind this.
                if reader != nil, Task.isCancelled { return giveUp(number) }
                inbox.post { registry, loop in
                    body(
                        registry,
                        { if self.leave(number) { continuation.resume(returning: $0) } }, loop)
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}
