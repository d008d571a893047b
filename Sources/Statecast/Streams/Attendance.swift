import Redux
import Sockets

/// The principals that watch one session, and the facts about them that its application is yet to be
/// told: one after the other, with a pause between. A value without a clock.
///
///     came ──▶ waiting ── told watcherCame ──▶ present ── last stream closed ──▶ absent
///               │ closed: forgotten               ▲── came again ─────────────────┤
///                                                                 told watcherLeft, forgotten
struct Attendance {
    /// The least time between two facts.
    static let pause = Duration.seconds(1)

    private struct Guest {
        var principal: Principal
        var streamCount = 1
        /// The application was told that the principal came.
        var isTold = false
        /// The time since when the principal waits to be told, or has no stream.
        var since: Instant
    }

    /// Those who watch, or whose leaving is to be told, by their ids.
    private var guests: [String: Guest] = [:]
    /// The ids of those whose coming is to be told, in their order, and of some that have gone.
    private var coming: [String] = []
    /// The ids of those who have no stream, and whose leaving is to be told.
    private var absent: Set<String> = []
    private var lastTold: Instant?
    /// The application is to be told that the session has come back.
    private var owesRestored = false

    /// No principal watches, nothing is to be told, and the pause is over.
    func isIdle(at now: Instant) -> Bool {
        guests.isEmpty && !owesRestored
            && lastTold.map { now >= $0.advanced(by: Self.pause) } ?? true
    }

    // MARK: Streams

    /// A principal has opened a stream.
    mutating func came(_ principal: Principal, at now: Instant) {
        guard guests[principal.id] == nil else {
            guests[principal.id]?.streamCount += 1
            guests[principal.id]?.principal = principal
            absent.remove(principal.id)
            return
        }
        guests[principal.id] = Guest(principal: principal, since: now)
        coming.append(principal.id)
    }

    /// A stream of a principal has closed.
    mutating func left(_ principal: Principal, at now: Instant) {
        let id = principal.id
        guard let guest = guests[id], guest.streamCount > 0 else { return }
        guests[id]?.streamCount = guest.streamCount - 1
        guard guest.streamCount == 1 else { return }
        guests[id]?.since = now
        if guest.isTold {
            absent.insert(id)
        } else {
            guests[id] = nil
            coming.removeAll { $0 == id }
        }
    }

    // MARK: Facts

    /// The fact that is to be told now, as though it were: see `fail`. Of several the one that is due
    /// for the longest.
    ///
    /// - Parameter absence: the time without a stream after which a principal counts as gone.
    mutating func next(at now: Instant, absence: Duration) -> SessionFact? {
        if let lastTold, now < lastTold.advanced(by: Self.pause) { return nil }
        if owesRestored {
            owesRestored = false
            lastTold = now
            begin(at: now)
            return .restored
        }
        let gone = longestAbsent(at: now, absence: absence)
        let arrival = coming.first.flatMap { guests[$0] }
        if let gone, arrival.map({ gone.since.advanced(by: absence) <= $0.since }) ?? true {
            guests[gone.principal.id] = nil
            absent.remove(gone.principal.id)
            lastTold = now
            return .watcherLeft(gone.principal)
        }
        guard let arrival else { return nil }
        coming.removeFirst()
        guests[arrival.principal.id]?.isTold = true
        lastTold = now
        return .watcherCame(arrival.principal)
    }

    /// The instant at which there is a fact to tell, or nothing to keep; nil where streams have to
    /// open or close before.
    ///
    /// - Parameter absence: see `next`.
    func due(absence: Duration) -> Instant? {
        let free = lastTold?.advanced(by: Self.pause) ?? Instant(nanoseconds: 0)
        if owesRestored || guests.isEmpty || !coming.isEmpty { return free }
        let gone = absent.compactMap { guests[$0]?.since.advanced(by: absence) }.min()
        return gone.map { max($0, free) }
    }

    private func longestAbsent(at now: Instant, absence: Duration) -> Guest? {
        absent.lazy.compactMap { guests[$0] }.filter { now >= $0.since.advanced(by: absence) }
            .min { $0.since < $1.since }
    }

    /// The last fact has left no entry, so that the next one need not wait.
    mutating func skipPause() { lastTold = nil }

    /// The application could not be told a fact: it is told again.
    mutating func fail(_ fact: SessionFact, at now: Instant) {
        switch fact {
        case .restored: owesRestored = true
        case .watcherCame(let principal):
            guard let guest = guests[principal.id], guest.isTold else { return }
            absent.remove(principal.id)
            guard guest.streamCount > 0 else { return guests[principal.id] = nil }
            guests[principal.id]?.isTold = false
            coming.append(principal.id)
        case .watcherLeft(let principal):
            if let guest = guests[principal.id] {
                // Who has come again meanwhile was there all the time, for the application.
                guard !guest.isTold else { return }
                guests[principal.id]?.isTold = true
                coming.removeAll { $0 == principal.id }
            } else {
                guests[principal.id] = Guest(
                    principal: principal, streamCount: 0, isTold: true, since: now)
                absent.insert(principal.id)
            }
        }
    }

    /// The session has come back: the application is told that, and then anew of those who watch.
    mutating func restore() { owesRestored = true }

    private mutating func begin(at now: Instant) {
        guests = guests.filter { $0.value.streamCount > 0 }
        absent = []
        coming = guests.values.sorted { ($0.since, $0.principal.id) < ($1.since, $1.principal.id) }
            .map(\.principal.id)
        for id in coming {
            guests[id]?.isTold = false
            guests[id]?.since = now
        }
    }
}
