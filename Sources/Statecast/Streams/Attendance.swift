import Redux
import Sockets

/// The principals that watch one session, and what its application is yet to be told of them: in one
/// fact of all, and the next one after a pause. A value without a clock.
///
///     came ──▶ waiting ── told that it came ──▶ present ── last stream closed ──▶ absent
///               │ closed: forgotten               ▲── came again ─────────────────┤
///                                                            told that it left, forgotten
struct Attendance {
    /// The least time between two facts.
    static let pause = Duration.seconds(1)
    /// The most principals that one fact tells of.
    static let crowdCount = 1_000

    private struct Guest {
        var principal: Principal
        var streamCount = 0
        /// The application takes the principal for one who watches.
        var isTold = false
    }

    /// Those who watch, or whose leaving is to be told, by their ids.
    private var guests: [String?: Guest] = [:]
    /// Those whose coming or leaving is to be told, and the instants from which on.
    private var owed: [String?: Instant] = [:]
    /// Nobody's is due before; of somebody who is owed no more, perhaps.
    private var firstDue: Instant?
    private var lastTold: Instant?
    /// The application is to be told that the session has come back.
    private var owesRestored = false
    /// The time without a stream after which a principal counts as gone.
    private let absence: Duration

    init(absence: Duration) { self.absence = absence }

    /// No principal watches, nothing is to be told, and the pause is over.
    func isIdle(at now: Instant) -> Bool {
        guests.isEmpty && !owesRestored && now >= endOfPause
    }

    private var endOfPause: Instant {
        lastTold?.advanced(by: Self.pause) ?? Instant(nanoseconds: 0)
    }

    // MARK: Streams

    /// A principal has opened a stream.
    mutating func came(_ principal: Principal, at now: Instant) {
        var guest = guests[principal.id] ?? Guest(principal: principal)
        guest.principal = principal
        guest.streamCount += 1
        guests[principal.id] = guest
        if guest.streamCount == 1 { review(principal.id, at: now) }
    }

    /// A stream of a principal has closed.
    mutating func left(_ principal: Principal, at now: Instant) {
        guard let count = guests[principal.id]?.streamCount, count > 0 else { return }
        guests[principal.id]?.streamCount = count - 1
        if count == 1 { review(principal.id, at: now) }
    }

    /// Finds out whether the application is to be told of a guest: it takes who watches for one who does
    /// not, or the other way about.
    private mutating func review(_ id: String?, at now: Instant) {
        owed[id] = nil
        guard let guest = guests[id] else { return }
        let isPresent = guest.streamCount > 0
        guard guest.isTold != isPresent else {
            if !isPresent { guests[id] = nil }
            return
        }
        let due = isPresent ? now : now.advanced(by: absence)
        owed[id] = due
        firstDue = min(firstDue ?? due, due)
    }

    // MARK: Facts

    /// The fact that is to be told now, as though it were: see `fail`. Where it cannot tell of all, it
    /// tells of those who are due for the longest.
    mutating func next(at now: Instant) -> SessionFact? {
        guard now >= endOfPause else { return nil }
        if owesRestored {
            owesRestored = false
            lastTold = now
            for id in guests.keys {
                guests[id]?.isTold = false
                review(id, at: now)
            }
            return .restored
        }
        guard let firstDue, firstDue <= now else { return nil }
        let due = owed.filter { $0.value <= now }
            .sorted { ($0.value, $0.key ?? "") < ($1.value, $1.key ?? "") }.prefix(Self.crowdCount)
        let told = due.compactMap { guests[$0.key] }
        for guest in told {
            guests[guest.principal.id]?.isTold.toggle()
            review(guest.principal.id, at: now)
        }
        self.firstDue = owed.values.min()
        guard !told.isEmpty else { return nil }
        lastTold = now
        return .watchersChanged(
            came: told.filter { !$0.isTold }.map(\.principal),
            left: told.filter(\.isTold).map(\.principal))
    }

    /// The instant at which there is a fact to tell, or nothing to keep; nil where streams have to
    /// open or close before.
    var due: Instant? {
        if owesRestored || guests.isEmpty { return endOfPause }
        return firstDue.map { max($0, endOfPause) }
    }

    /// The last fact has left no entry, so that the next one need not wait.
    mutating func skipPause() { lastTold = nil }

    /// The application could not be told a fact: it is told again.
    mutating func fail(_ fact: SessionFact, at now: Instant) {
        switch fact {
        case .restored: owesRestored = true
        case .watchersChanged(let came, let left):
            for principal in came { guests[principal.id]?.isTold = false }
            // Who has come again meanwhile was there all the time, for the application.
            for principal in left {
                guests[principal.id, default: Guest(principal: principal)].isTold = true
            }
            for principal in came + left { review(principal.id, at: now) }
        }
    }

    /// The session has come back: the application is told that, and then anew of those who watch.
    mutating func restore() { owesRestored = true }
}
