package import Accounting
import DequeModule
package import Redux

/// The sessions of one application on one loop, found by the bytes of a request.
package struct SessionTable {
    /// Chains of sessions, linked by `next`; which one by the upper half of the hash, as the lower
    /// one has chosen the loop. As many as a power of two.
    private var chains: [Session?] = [nil]
    /// The number of sessions.
    package private(set) var count = 0

    /// The session of an id, given by its characters and their hash.
    package func find(_ id: Span<UInt8>, _ hash: UInt64) -> Session? {
        var candidate = chains[index(hash)]
        while let session = candidate {
            if session.hash == hash, isEqual(session.id, id) { return session }
            candidate = session.next
        }
        return nil
    }

    /// The session of an id.
    package func find(_ id: SessionID) -> Session? {
        find(id.description.utf8Span.span, IDHash.of(id))
    }

    package init() {}

    package mutating func insert(_ session: Session) {
        precondition(session.next == nil, "A session stands in one chain.")
        if count == chains.count { grow() }
        link(session)
        count += 1
    }

    package mutating func remove(_ session: Session) {
        let index = index(session.hash)
        guard chains[index] !== session else {
            chains[index] = session.next.take()
            count -= 1
            return
        }
        var candidate = chains[index]
        while let current = candidate {
            candidate = current.next
            guard candidate === session else { continue }
            current.next = session.next.take()
            count -= 1
            return
        }
    }

    private mutating func grow() {
        let old = chains
        chains = Array(repeating: nil, count: old.count * 2)
        for start in old {
            var candidate = start
            while let session = candidate {
                candidate = session.next
                link(session)
            }
        }
    }

    private mutating func link(_ session: Session) {
        let index = index(session.hash)
        session.next = chains[index]
        chains[index] = session
    }

    @inline(__always)
    private func index(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 32) & (chains.count - 1)
    }

    @inline(__always)
    private func isEqual(_ id: SessionID, _ characters: Span<UInt8>) -> Bool {
        let text = id.description.utf8Span.span
        guard text.count == characters.count else { return false }
        for index in text.indices where characters[index] != text[index] { return false }
        return true
    }
}

/// The sessions that may not have been posted to, in the order in which they were made, or were found
/// in use.
package struct UnpostedSessions {
    private var queue = Deque<(session: Session, since: Instant)>()
    /// The number of sessions that have ended since these were looked through.
    private var endedCount = 0

    package init() {}

    package mutating func add(_ session: Session, at now: Instant) {
        queue.append((session, now))
    }

    /// Takes the first session, if it stands here for so long; it may have ended.
    package mutating func takeFirst(olderThan age: Duration, at now: Instant) -> Session? {
        guard let first = queue.first, now >= first.since.advanced(by: age) else { return nil }
        return queue.removeFirst().session
    }

    /// A session has ended: once they are many, those that have are let go of.
    package mutating func noteEnded() {
        endedCount += 1
        guard endedCount > 64, endedCount * 2 > queue.count else { return }
        queue.removeAll { $0.session.isEnded }
        endedCount = 0
    }
}

/// A hash of a session's id, which chooses the loop and the place where the session lives; different
/// in every process, so that no client can choose ids that collide.
package enum IDHash {
    private static let seed = UInt64.random(in: .min ... .max)

    /// The hash of an id's characters.
    package static func of(_ id: Span<UInt8>) -> UInt64 {
        var hash = seed
        for index in id.indices {
            let mixed = (hash ^ UInt64(id[index])) &* 0x9E37_79B9_7F4A_7C15
            hash = mixed ^ mixed >> 29
        }
        let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }

    /// The hash of an id.
    package static func of(_ id: SessionID) -> UInt64 {
        of(id.description.utf8Span.span)
    }
}

/// The ids of sessions that have ended, for a while.
package struct EndedSessions {
    private var endedAt: [String: Timestamp] = [:]
    private var order: [String] = []

    package init() {}

    package mutating func insert(_ name: String, at now: Timestamp, _ limits: SessionLimits) {
        if endedAt.updateValue(now, forKey: name) == nil { order.append(name) }
        if order.count > limits.endedCount {
            let dropped = order.removeFirst()
            endedAt[dropped] = nil
        }
    }

    package func contains(_ name: String, at now: Timestamp, _ limits: SessionLimits) -> Bool {
        guard let ended = endedAt[name] else { return false }
        let (seconds, _) = limits.endedDuration.components
        return now.milliseconds - ended.milliseconds < seconds * 1000
    }
}
