import Sessions
import Sockets

/// The instants at which sessions of one loop are to be looked at: each has the earliest at which
/// something of it may be due, and costs nothing before. A value without a clock.
///
/// A session that is used puts nothing off: what was due is only found not to be when its deadline
/// comes.
struct SessionDeadlines {
    private var wheel: TimerWheel<Session>

    init(at start: Instant) { wheel = TimerWheel(start: start) }

    /// The number of sessions that are to be looked at.
    var count: Int { wheel.count }

    /// Has a session looked at by an instant, or sooner where something else is due before.
    @inline(__always)
    mutating func expect(_ session: Session, by instant: Instant) {
        if instant < session.deadline { set(session, instant) }
    }

    private mutating func set(_ session: Session, _ instant: Instant) {
        guard !session.isEnded else { return }
        session.deadline = instant
        guard !wheel.reschedule(session.timer, at: instant) else { return }
        session.timer = wheel.schedule(at: instant, session)
    }

    /// A session has ended.
    mutating func remove(_ session: Session) {
        wheel.cancel(session.timer)
        session.deadline = .never
    }

    /// Takes a session that is to be looked at by now; nil where none is.
    mutating func next(at now: Instant) -> Session? {
        guard let session = wheel.popDue(at: now)?.payload else { return nil }
        session.deadline = .never
        return session
    }
}
