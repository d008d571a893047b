import HTTPServer
import Journaling
public import Redux
import Sessions
import Sockets
import StateCoding
import Threads

/// One session, for the server's own code: it dispatches, reads, observes and ends it, from any task.
///
///     let table = try server.sessions.session("7", of: CardTable.self)
///     try await table.dispatch(.sat, as: alice)
///     for try await count in table.values(of: \.players.count) { print(count) }
///
/// A handle holds nothing: the session may end, sleep and come back meanwhile. A use opens it where
/// it is not in memory. What a use waits for is not given up where its task is cancelled: the action
/// may have been taken all the same.
public struct SessionHandle<App: Application>: Sendable {
    /// The id of the session.
    public let id: SessionID
    let directory: SessionDirectory
    private let mount: Int
    private let definition: ApplicationDefinition<App>
    private let caller: CallingWork?

    init(
        _ id: SessionID, _ directory: SessionDirectory, mount: Int,
        _ definition: ApplicationDefinition<App>, in caller: CallingWork?
    ) {
        self.id = id
        self.directory = directory
        self.mount = mount
        self.definition = definition
        self.caller = caller
    }

    /// The path at which clients find it: `/list/sessions/7`.
    package var path: String { "\(definition.name)/sessions/\(id)" }

    // MARK: Actions

    /// Dispatches actions, all or none, through the middleware and the reducer, as a POST does.
    ///
    /// Returns once they are as durable as the server's journal promises, the entries of all as one
    /// outcome: accepted, dropped, or delayed. Throws what was rejected.
    ///
    /// - Parameters:
    ///   - actions: facts, too, which no client may send.
    ///   - principal: the one on whose behalf they are dispatched; nil: the server itself. A name out
    ///     of a request's body stands for no one who has signed in: put it under a prefix that access
    ///     control never gives.
    ///   - key: names the dispatch, in 1 to 128 bytes: a repeat with the key gets the first outcome,
    ///     and does nothing. Keys count for the principal, apart from those that clients send. The
    ///     dispatches of work have one without this, made from the work's own and their number among
    ///     those to the session: what comes from a feed needs one of its own.
    @discardableResult
    public func dispatch(
        _ actions: App.Action..., as principal: Principal? = nil, key: String? = nil
    ) async throws(SessionError) -> Outcome {
        try await dispatch(batch: actions, as: principal, key: key)
    }

    /// Dispatches actions, all or none, as ``dispatch(_:as:key:)`` does; none at all are dropped.
    @discardableResult
    public func dispatch(
        batch actions: [App.Action], as principal: Principal? = nil, key: String? = nil
    ) async throws(SessionError) -> Outcome {
        guard !actions.isEmpty else { return .dropped }
        let actions = try HandledActions(
            actions, as: principal, key: key, from: caller, to: name, definition.code.coder,
            batchLimit: directory.limits.batchCount, hash: directory.hash)
        return try await wherever { () throws(SessionError) in
            SentRequest(
                method: "POST", resource: "/actions", body: try actions.sent(definition.code.coder),
                hasKey: actions.key != nil)
        } here: { () async throws(SessionError) in
            try await submit(actions)
        } read: { (answer) throws(SessionError) in
            try SentOutcome(answer).result.get()
        }
    }

    private func submit(
        _ actions: HandledActions<App.Action>
    ) async throws(SessionError) -> Outcome {
        try await use(interrupted: SessionError(.outcomeUnknown)) {
            registry, session, reply, loop in
            guard let store = session.store as? ApplicationStore<App> else {
                return reply(.failure(SessionError(Refusal.replayed)))
            }
            store.submit(actions, to: session, registry.performer, on: loop, answered: reply)
        }
    }

    // MARK: The state

    /// The state behind the last entry that is kept, whichever server has the session.
    public var state: App.State {
        get async throws(SessionError) {
            guard let (state, _) = try await state(unlessAt: nil) else {
                throw SessionError(.sessionMoved)
            }
            return state
        }
    }

    /// Reads values of a session, one call at a time, which are all of its number.
    typealias Reader = (
        number: UInt64, follow: @Sendable (ApplicationStore<App>) -> Subscription
    )

    /// The state with its token; nil where that is the known one.
    ///
    /// - Parameter reader: follows the session as long as that is here, and nil comes at the end; waits a
    ///   while for another state where it is not.
    func state(
        unlessAt known: Token?, for reader: Reader? = nil
    ) async throws(SessionError) -> (state: App.State, token: Token)? {
        let behind = known.map { "&behind=\($0)" } ?? ""
        let waits = reader == nil ? "" : "&waits=true"
        let query = "?schema=\(definition.schemaVersion)\(behind)\(waits)"
        return try await wherever(for: reader == nil ? Peers.pauses : Peers.patientPauses) {
            SentRequest(method: "GET", resource: "/state\(query)", reader: reader?.number)
        } here: { () async throws(SessionError) in
            try await use(by: reader?.number) { registry, session, reply, _ in
                guard let store = session.store as? ApplicationStore<App> else {
                    return reply(.failure(SessionError(Refusal.replayed)))
                }
                if let (number, follow) = reader {
                    guard directory.isUnderWay(number) else { return }
                    let feed = SessionFeeds.Feed {
                        ($0 as? ApplicationStore<App>).map(follow)
                    } end: {
                        reply($0.isElsewhere ? .success(nil) : .failure($0))
                    }
                    return registry.context.feeds.add(number, feed, of: session)
                }
                let token = session.token
                reply(.success(token == known ? nil : (store.state, token)))
            }
        } read: { (answer) throws(SessionError) in
            if answer.status == 204 { return nil }
            guard let token = answer.tag.flatMap({ Token($0.filter { $0 != "\"" }) }),
                let state = try? StateDecoder().decode(App.State.self, from: answer.body)
            else { throw SessionError(.busy) }
            return (state, token)
        }
    }

    /// A part of the state as it is now, and whenever it differs afterwards. A reader that is slower
    /// than the session gets the newest value, not those before it.
    ///
    /// The sequence goes on at whichever server has the session, and where it moves. It ends by
    /// `SessionError`, at the latest with the session or this server. The session stays in memory as long
    /// as it is read.
    ///
    /// - Parameter select: a pure function, called after each change: on the session's loop or, where
    ///   another server has it, which sends the whole state for that, in a task.
    public func values<Value: Equatable & Sendable>(
        of select: @escaping @Sendable (App.State) -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let last = Lock<Value?>(nil)
        let show = { @Sendable (value: Value) in
            if last.withLock({ exchange(&$0, with: value) }) != value { continuation.yield(value) }
        }
        let (id, mount, name, number) = (id, mount, name, directory.draw())
        let task = Task.immediate {
            do throws(SessionError) {
                try await read(for: number, select, show)
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { [directory] _ in
            task.cancel()
            directory.giveUp(number)
            directory.post(name) { registry, loop in
                registry.endReading(number, of: id, mount: mount, on: loop)
            }
        }
        return stream
    }

    /// Shows the selected value of each state, wherever the session is, until that cannot go on.
    private func read<Value: Equatable & Sendable>(
        for number: UInt64, _ select: @escaping @Sendable (App.State) -> Value,
        _ show: @escaping @Sendable (Value) -> Void
    ) async throws(SessionError) {
        let reader: Reader = (
            number,
            { store in
                show(select(store.state))
                return store.observe(select, show)
            }
        )
        var (known, hasBegun, failures): (Token?, Bool, Int) = (nil, false, 0)
        while !Task.isCancelled {
            do throws(SessionError) {
                if let (state, token) = try await state(unlessAt: known, for: reader) {
                    show(select(state))
                    known = token
                }
                (hasBegun, failures) = (true, 0)
            } catch {
                // As where the session has moved, and all who read it ask at once.
                let pauses = Peers.patientPauses
                guard hasBegun, case .refused(let refusal) = error, refusal.isTemporary,
                    !error.isElsewhere, failures < pauses.count
                else { throw error }
                try? await ContinuousClock().sleep(for: pauses[failures])
                failures += 1
            }
        }
    }

    // MARK: The end

    /// Ends the session for good, as DELETE does: its streams end, its id is gone for a while. Returns
    /// when the application has forgotten it (``SessionOptions/forgetting``), or after some seconds.
    public func end() async throws(SessionError) {
        let _: Void = try await wherever {
            SentRequest(method: "DELETE", resource: "")
        } here: { () async throws(SessionError) in
            try await use { registry, session, reply, loop in
                do throws(ProblemDetails) {
                    try registry.end(session, on: loop) { _ in reply(.success(())) }
                } catch {
                    reply(.failure(SessionError(error)))
                }
            }
        } read: { _ in
        }
    }

    /// Ends the streams and held requests of a principal, after they have signed out for instance:
    /// their clients are told that they may not go on, and access control decides when they come
    /// again.
    ///
    /// - Parameter principal: the id.
    public func closeStreams(of principal: String) async throws(SessionError) {
        var elsewhere: SessionError?
        do throws(SessionError) {
            let _: Void = try await use { _, _, reply, _ in reply(.success(())) }
        } catch {
            guard error.isElsewhere else { throw error }
            elsewhere = error
        }
        // Of a session that many watch here, the streams are here.
        await directory.closeStreams(of: principal, in: name)
        let isTold = await directory.tell(.streams(of: principal, session: path))
        if let elsewhere, !isTold { throw elsewhere }
    }

    /// Makes the states before the present one unreadable for ever, with the entries that led to them,
    /// in memory and in the journal.
    func forgetPast() async throws(SessionError) {
        let (journal, lease, version) = try await use { registry, session, reply, loop in
            session.forget(before: session.version, on: loop)
            reply(
                .success(
                    (registry.context.sessions.journal, session.appendRight, session.version)))
        }
        do throws(JournalFailure) {
            try await journal.forget(lease, through: version)
        } catch {
            // It is gone already.
            if case .compacted = error { return }
            throw SessionError(ProblemDetails(.notKept(error)))
        }
    }

    /// The reason for which the session takes no actions; nil where it does, or another server has it.
    var frozen: String? {
        get async throws(SessionError) {
            do throws(SessionError) {
                return try await use { _, session, reply, _ in reply(.success(session.frozen)) }
            } catch {
                guard error.isElsewhere else { throw error }
                return nil
            }
        }
    }

    // MARK: The loop

    private var name: SessionName { SessionName(mount: definition.name, id: id.description) }

    /// Uses the session here, or by a request to the server that has it.
    private func wherever<Value: Sendable>(
        for pauses: [Duration] = Peers.pauses, _ request: () throws(SessionError) -> SentRequest,
        here: () async throws(SessionError) -> Value,
        read: (SentAnswer) throws(SessionError) -> Value
    ) async throws(SessionError) -> Value {
        var mayBeDone = false
        for pause in pauses {
            do throws(SessionError) {
                return try await here()
            } catch {
                guard error.isElsewhere else { throw error.told(behind: mayBeDone) }
            }
            let (name, request) = (name, try request())
            let isRead = request.method == "GET"
            let interrupted = isRead ? .notServing : SessionError(.outcomeUnknown)
            let answer: SentAnswer?
            do throws(SessionError) {
                answer = try await directory.call(
                    id, by: request.reader, interrupted: interrupted
                ) { registry, reply, loop in
                    registry.send(request, to: name, after: pause, on: loop, reply)
                }
            } catch {
                throw error.told(behind: mayBeDone)
            }
            guard let answer else { continue }
            if answer.status > 0 { return try read(answer) }
            mayBeDone = request.hasKey
        }
        throw SessionError(.sessionMoved).told(behind: mayBeDone)
    }

    /// Has the loop of the session do something with it, and waits for the reply.
    private func use<Value: Sendable>(
        by reader: UInt64? = nil, interrupted: SessionError = .notServing,
        _ body:
            @escaping @Sendable (
                SessionRegistry, Session, @escaping SessionDirectory.Reply<Value>,
                isolated EventLoop
            ) -> Void
    ) async throws(SessionError) -> Value {
        let (id, mount) = (id, mount)
        return try await directory.call(id, by: reader, interrupted: interrupted) {
            registry, reply, loop in
            registry.reach(id, mount: mount, on: loop) { result in
                switch result {
                case .success(let session): body(registry, session, reply, loop)
                case .failure(let error): reply(.failure(error))
                }
            }
        }
    }

    /// Makes the session where there is none.
    func make(_ start: SessionStart) async throws(SessionError) {
        let (id, mount) = (id, mount)
        let _: Void = try await directory.call(id) { registry, reply, loop in
            registry.reach(id, mount: mount, making: start, on: loop) { result in
                // What another server has is there.
                if case .failure(let error) = result, error.isElsewhere, registry.peers != nil {
                    return reply(.success(()))
                }
                reply(result.map { _ in })
            }
        }
    }
}
