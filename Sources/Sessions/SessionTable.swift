package import Bytes
import DequeModule
package import Redux

/// The sessions of one application on one loop, found by the bytes of a request.
///
/// A dictionary would hash the hashes again, with each request.
package final class SessionTable {
    /// The first sessions of chains that are linked by `next`: a power of two, as many as there are
    /// sessions at least.
    private var chains: [Session?] = [nil]
    private var sessionCount = 0

    package init() {}

    /// The number of sessions.
    package var count: Int { sessionCount }

    /// The session of an id, given by its characters and their hash.
    package func find(_ id: Span<UInt8>, _ hash: UInt64) -> Session? {
        var candidate = chains[place(of: hash)]
        while let session = candidate {
            if session.hash == hash, session.id.isEqual(to: id) { return session }
            candidate = session.next
        }
        return nil
    }

    /// The lowest bits chose the loop.
    private func place(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 20) & (chains.count - 1)
    }

    /// The session of an id.
    package func find(_ id: SessionID) -> Session? {
        find(id.description.utf8Span.span, id.hash)
    }

    /// All sessions.
    package var all: [Session] { list { _ in true } }

    /// Those that a client has a stream or a held request of: no room is taken for the others.
    package var watched: [Session] { list { $0.watcherCount + $0.waiterCount > 0 } }

    private func list(where isWanted: (Session) -> Bool) -> [Session] {
        var list: [Session] = []
        for first in chains {
            var next = first
            while let session = next {
                if isWanted(session) { list.append(session) }
                next = session.next
            }
        }
        return list
    }

    package func insert(_ session: Session) {
        precondition(session.next == nil, "A session stands in one chain.")
        if sessionCount == chains.count {
            let all = all
            chains = Array(repeating: nil, count: 2 * chains.count)
            for session in all { link(session) }
        }
        link(session)
        sessionCount += 1
    }

    private func link(_ session: Session) {
        let place = place(of: session.hash)
        session.next = chains[place]
        chains[place] = session
    }

    package func remove(_ session: Session) {
        sessionCount -= 1
        let place = place(of: session.hash)
        let next = session.next.take()
        guard var earlier = chains[place], earlier !== session else {
            chains[place] = next
            return
        }
        while let candidate = earlier.next, candidate !== session { earlier = candidate }
        earlier.next = next
    }
}

/// The sessions that may not have been posted to, in the order in which they were made, or were found
/// in use.
package struct UnpostedSessions {
    private var queue = Deque<Session>()
    /// The number of sessions that have ended since these were looked through.
    private var endedCount = 0

    package init() {}

    package mutating func add(_ session: Session, at now: Instant) {
        session.unpostedSince = UInt32(clamping: now.nanoseconds / 1_000_000_000)
        queue.append(session)
    }

    /// Takes the first session, if it stands here for so long; it may have ended.
    package mutating func takeFirst(olderThan age: Duration, at now: Instant) -> Session? {
        guard let first = queue.first else { return nil }
        let since = Instant(nanoseconds: Int64(first.unpostedSince) * 1_000_000_000)
        return now >= since.advanced(by: age) ? queue.removeFirst() : nil
    }

    /// A session has ended: once they are many, those that have are let go of.
    package mutating func noteEnded() {
        endedCount += 1
        guard endedCount > 64, endedCount * 2 > queue.count else { return }
        queue.removeAll { $0.isEnded }
        endedCount = 0
    }
}

/// The hash of a session's id chooses the loop and the place where the session lives; it is different
/// in every process, so that no client can choose ids that collide.
extension SessionID {
    private static let seed = UInt64.random(in: .min ... .max)

    package var hash: UInt64 { Self.hash(of: description.utf8Span.span) }

    /// The hash of an id's characters.
    package static func hash(of id: Span<UInt8>) -> UInt64 {
        var hash = seed
        for index in id.indices {
            let mixed = (hash ^ UInt64(id[index])) &* 0x9E37_79B9_7F4A_7C15
            hash = mixed ^ mixed >> 29
        }
        let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }

    fileprivate func isEqual(to characters: Span<UInt8>) -> Bool {
        let text = description.utf8Span.span
        guard text.count == characters.count else { return false }
        for index in text.indices where characters[index] != text[index] { return false }
        return true
    }
}
