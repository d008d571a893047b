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

    private struct Place {
        let session: Session
        var feeds: [UInt64: (feed: Feed, subscription: Subscription?)] = [:]
    }

    private var places: [ObjectIdentifier: Place] = [:]

    /// Begins a sequence of a session's values.
    ///
    /// - Parameter number: names it.
    func add(_ number: UInt64, _ feed: Feed, of session: Session) {
        let key = ObjectIdentifier(session)
        places[key, default: Place(session: session)].feeds[number] =
            (feed, feed.follow(session.store))
    }

    /// No one reads a sequence any more: the session was used until now.
    func remove(_ number: UInt64, of session: Session, at now: Instant) {
        let key = ObjectIdentifier(session)
        if places[key] != nil { session.noteUse(at: now) }
        places[key]?.feeds[number] = nil
        if places[key]?.feeds.isEmpty ?? false { places[key] = nil }
    }

    /// A session goes on with another store.
    func goOn(with session: Session) {
        guard let place = places[ObjectIdentifier(session)] else { return }
        for (number, entry) in place.feeds {
            places[ObjectIdentifier(session)]?.feeds[number] =
                (entry.feed, entry.feed.follow(session.store))
        }
    }

    /// A session is let go of: its sequences end.
    func end(of session: Session, with error: SessionError) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(session)) else { return }
        for entry in place.feeds.values { entry.feed.end(error) }
    }

    /// Values of a session are read: it stays in memory.
    func isRead(_ session: Session) -> Bool { places[ObjectIdentifier(session)] != nil }
}
