import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// Those who read the states of the sessions of one loop: handles, here and at other servers.
final class SessionFeeds {
    /// One of them.
    struct Feed {
        /// Reads the present state and all that follow, as long as the subscription lasts.
        let follow: (any ShowsState) -> Subscription?
        let end: (SessionError) -> Void
    }

    /// By their sessions, which go on as long as they are read, and by their own numbers.
    private var feeds: [ObjectIdentifier: [UInt64: (feed: Feed, subscription: Subscription?)]] = [:]

    /// What asks other servers for readers here, by their numbers.
    var requests: [UInt64: PeerRequest] = [:]

    /// The handles of other servers that wait for a state to be written: once for all, by its session and token.
    var waiting: [String: [Exchange]] = [:]

    /// Begins to read a session.
    ///
    /// - Parameter number: of the reader.
    func add(_ number: UInt64, _ feed: Feed, of session: Session) {
        feeds[ObjectIdentifier(session), default: [:]][number] = (feed, feed.follow(session.store))
    }

    /// A reader has gone: the session was used until now.
    func remove(_ number: UInt64, of session: Session, at now: Instant) {
        let key = ObjectIdentifier(session)
        if feeds[key]?.removeValue(forKey: number) != nil { session.noteUse(at: now) }
        if feeds[key]?.isEmpty ?? false { feeds[key] = nil }
    }

    /// A session goes on with another store.
    func goOn(with session: Session) {
        let key = ObjectIdentifier(session)
        feeds[key] = feeds[key]?.mapValues { ($0.feed, $0.feed.follow(session.store)) }
    }

    /// A session is let go of, and is not read any more.
    func end(of session: Session, with error: SessionError) {
        let ended = feeds.removeValue(forKey: ObjectIdentifier(session)) ?? [:]
        for (feed, _) in ended.values { feed.end(error) }
    }

    func readerCount(of session: Session) -> Int { feeds[ObjectIdentifier(session)]?.count ?? 0 }

    /// A session is read: it stays in memory.
    func isRead(_ session: Session) -> Bool { feeds[ObjectIdentifier(session)] != nil }
}

extension Session {
    /// The state has not changed since a token.
    func hasState(of known: Token) -> Bool {
        known.epoch == epoch && store.lastChange <= known.version && known.version <= version
    }
}

extension SessionRegistry {
    /// Nobody reads a sequence any more.
    func endReading(
        _ number: UInt64, of id: SessionID, mount: Int, on loop: isolated EventLoop
    ) {
        context.feeds.requests.removeValue(forKey: number)?.end(isWhole: false, on: loop)
        guard let session = find(id, mount: mount) else { return }
        context.feeds.remove(number, of: session, at: loop.now)
    }
}

extension Router {
    /// Holds what another server's handle asks for until a session has another state than that knows.
    func hold(
        _ exchange: Exchange, behind known: Token, of session: Session, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let (feeds, number) = (registry.context.feeds, shared.directory.draw())
        guard feeds.readerCount(of: session) + session.waiterCount < context.limits.waiterCount
        else { throw .tooManyWaiting }
        let held = Held(exchange, for: Peers.waitDuration, endsWithInput: true, on: loop) {
            [self] held, interruption in
            held.end(on: loop)
            feeds.remove(number, of: session, at: loop.now)
            guard interruption != .clientGone else { return }
            if session.hasState(of: known) {
                return exchange.respond(.noContent, on: loop) { _ in }
            }
            exchange.refusing(on: loop) { () throws(ProblemDetails) in
                try show(session, to: exchange, on: loop)
            }
        }
        let feed = SessionFeeds.Feed { _ in
            if !session.hasState(of: known) { held.hurry(on: loop) }
            return session.actions?.observe { held.hurry(on: loop) }
        } end: { error in
            held.end(on: loop)
            // Whoever asks is to find who goes on with it.
            if error.isElsewhere {
                return exchange.respond(.misdirectedRequest, on: loop) { _ in }
            }
            exchange.respond(error.problem ?? .shuttingDown, on: loop)
        }
        feeds.add(number, feed, of: session)
    }
}
