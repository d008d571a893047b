import Redux
import Sessions
import Sockets

/// The sequences of values that handles read from the sessions of one loop.
final class SessionFeeds {
    /// One sequence.
    struct Feed: Sendable {
        /// Gives the present value and all that follow, as long as the subscription lasts.
        let follow: @Sendable (any ShowsState) -> Subscription?
        let end: @Sendable (SessionError) -> Void
    }

    /// By their sessions, which go on as long as they are read, and by their own numbers.
    private var feeds: [ObjectIdentifier: [UInt64: (feed: Feed, subscription: Subscription?)]] = [:]

    /// Begins a sequence of a session's values.
    ///
    /// - Parameter number: names it.
    func add(_ number: UInt64, _ feed: Feed, of session: Session) {
        feeds[ObjectIdentifier(session), default: [:]][number] = (feed, feed.follow(session.store))
    }

    /// No one reads a sequence any more: the session was used until now.
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

    /// A session is let go of: its sequences end.
    func end(of session: Session, with error: SessionError) {
        let ended = feeds.removeValue(forKey: ObjectIdentifier(session)) ?? [:]
        for (feed, _) in ended.values { feed.end(error) }
    }

    /// Values of a session are read: it stays in memory.
    func isRead(_ session: Session) -> Bool { feeds[ObjectIdentifier(session)] != nil }
}
