import HTTPServer
import Redux
import Sessions
import Sockets

/// The sessions of one loop as handles reach them: by the same way as requests.
struct SessionAccess {
    /// Goes on with the session, on its loop: at once, or when the journal has answered.
    typealias Continuation = (Result<Session, SessionError>) -> Void

    let registry: SessionRegistry
    /// The place of the application among those that are mounted.
    let mount: Int

    // MARK: Finding

    /// Finds a session, in memory or in the journal.
    func find(
        _ id: SessionID, on loop: isolated EventLoop, _ goOn: @escaping Continuation
    ) {
        find(id, making: nil, on: loop, goOn)
    }

    /// Finds a session, or makes it as is wished.
    func find(
        _ id: SessionID, making start: SessionStart?, on loop: isolated EventLoop,
        _ goOn: @escaping Continuation
    ) {
        if let session = registry.find(id, mount: mount) {
            registry.noteUse(of: session, at: loop.now)
            return goOn(.success(session))
        }
        guard !registry.hasEnded(id, mount: mount) else { return goOn(.failure(.ended)) }
        if let opening = registry.open(id, mount: mount, making: start, on: loop) {
            return goOn(Self.result(of: opening))
        }
        do throws(ProblemDetails) {
            try registry.wait(for: id, mount: mount, 0, on: loop) { opening in
                // Another one has asked for the session, and that did not make it.
                if case .absent = opening, start != nil {
                    return find(id, making: start, on: loop, goOn)
                }
                goOn(Self.result(of: opening))
            }
        } catch {
            goOn(.failure(SessionError(error)))
        }
    }

    private static func result(of opening: SessionOpening) -> Result<Session, SessionError> {
        switch opening {
        case .here(let session, _): session.isEnded ? .failure(.ended) : .success(session)
        case .absent: .failure(.notFound)
        case .refused(let refusal): .failure(SessionError(refusal))
        case .failed(let problem): .failure(SessionError(problem))
        }
    }

    // MARK: Using

    /// Has a session decide about actions, and replies once they are kept.
    func dispatch<App: Application>(
        _ actions: HandledActions<App.Action>, to session: Session, of application: App.Type,
        _ reply: SessionReply<Outcome>, on loop: isolated EventLoop
    ) {
        guard let store = session.store as? ApplicationStore<App> else {
            return reply.give(.failure(SessionError(Refusal.replayed)))
        }
        let now = Timestamp(milliseconds: loop.wallClockMilliseconds)
        registry.context.performer.submit(
            actions.byteCount, key: actions.key, to: session, at: now, on: loop
        ) {
            (_, append, _) throws(Refusal) in
            try store.submit(actions, at: now, append)
        } answered: { result in
            reply.give(result.map(\.outcome).mapError { SessionError($0) })
        }
    }

    /// Ends a session for good, and replies once its application has forgotten it.
    func end(_ session: Session, _ reply: SessionReply<Void>, on loop: isolated EventLoop) {
        registry.end(session, mount: mount, telling: .handle(reply), on: loop)
    }
}
