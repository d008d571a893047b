import Sessions
import Sockets

/// The instants at which sessions of one loop are to be looked at: each has the earliest at which
/// something of it may be due, and costs nothing before. A value without a clock.
///
/// A session that is used puts nothing off: what was due is only found not to be when its deadline
/// comes.
final class SessionDeadlines {
    private var wheel: TimerWheel<Session>
    /// The wheel turns ahead of the clock by so much.
    private var lead = Duration.zero

    init(at start: Instant) { wheel = TimerWheel(start: start) }

    /// The number of sessions that are to be looked at.
    var count: Int { wheel.count }

    /// Has a session looked at by an instant, or sooner where something else is due before.
    @inline(__always)
    func expect(_ session: Session, by instant: Instant) {
        if instant < session.deadline { set(session, instant) }
    }

    private func set(_ session: Session, _ instant: Instant) {
        guard !session.isEnded else { return }
        session.deadline = instant
        let turned = instant.advanced(by: lead)
        guard !wheel.reschedule(session.timer, at: turned) else { return }
        session.timer = wheel.schedule(at: turned, session)
    }

    /// Has the sessions looked at now of which something may be due within a time.
    func hurry(by duration: Duration) { lead += duration }

    /// A session has ended.
    func remove(_ session: Session) {
        wheel.cancel(session.timer)
        session.deadline = .never
    }

    /// Takes a session that is to be looked at by now; nil where none is.
    func next(at now: Instant) -> Session? {
        guard let session = wheel.popDue(at: now.advanced(by: lead))?.payload else { return nil }
        session.deadline = .never
        return session
    }
}
