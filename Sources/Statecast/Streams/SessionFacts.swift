import HTTPServer
import Redux
import Sessions
import Sockets

/// Tells the applications of one loop's sessions what becomes of these, as far as they ask for it.
final class SessionFacts: TimerHandler {
    private let context: ServingContext
    /// Of a session of which nothing was told yet.
    private let beginning: Attendance
    /// The sessions that principals watch, or whose applications are still to be told something.
    private var entries: [ObjectIdentifier: Attendance] = [:]
    /// Those that were told something within the last pause, by the timers of its end.
    private var pausing: [Timer: Session] = [:]

    init(context: ServingContext) {
        self.context = context
        beginning = Attendance(absence: context.sessions.limits.absenceDuration)
    }

    // MARK: Streams

    /// A principal has opened a stream.
    func came(_ watcher: StreamWatcher, on loop: isolated EventLoop) {
        let session = watcher.session
        guard session.actions?.wantsSessionFacts ?? false, !session.isEnded else { return }
        watcher.facts = self
        entries[ObjectIdentifier(session), default: beginning].came(watcher.principal, at: loop.now)
        tellNext(of: session, on: loop)
    }

    /// A principal's stream has closed, or is another one's from now on.
    func left(_ watcher: StreamWatcher, at now: Instant) {
        guard watcher.facts.take() != nil else { return }
        entries[ObjectIdentifier(watcher.session)]?.left(watcher.principal, at: now)
        expectNext(of: watcher.session)
    }

    /// A session is let go of.
    func forget(_ session: Session) {
        entries[ObjectIdentifier(session)] = nil
    }

    // MARK: Telling

    /// A session has come back from a journal, before a client watches it.
    func sayRestored(_ session: Session, on loop: isolated EventLoop) {
        guard session.actions?.wantsSessionFacts ?? false else { return }
        entries[ObjectIdentifier(session), default: beginning].restore()
        tellNext(of: session, on: loop)
    }

    /// Tells a fact about a session that has become due.
    func tellDue(of session: Session, on loop: isolated EventLoop) {
        let key = ObjectIdentifier(session)
        guard let attendance = entries[key] else { return }
        if attendance.isIdle(at: loop.now) { return entries[key] = nil }
        tellNext(of: session, on: loop)
    }

    /// The pause is over. A crowd that has come meanwhile is told of at once, and not a tick later.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        if let session = pausing.removeValue(forKey: timer) { tellDue(of: session, on: loop) }
    }

    private func tellNext(of session: Session, on loop: isolated EventLoop) {
        if let fact = entries[ObjectIdentifier(session)]?.next(at: loop.now) {
            say(fact, in: session, on: loop)
            pausing[loop.schedule(after: Attendance.pause, self)] = session
        }
        expectNext(of: session)
    }

    /// Has a session looked at once the next fact is due.
    private func expectNext(of session: Session) {
        if let next = entries[ObjectIdentifier(session)]?.due {
            context.performer.deadlines.expect(session, by: next)
        }
    }

    private func say(_ fact: SessionFact, in session: Session, on loop: isolated EventLoop) {
        let now = session.time(on: loop)
        context.performer.submit(nil, key: nil, to: session, at: now, on: loop) {
            (store, append, _) throws(Refusal) in
            try store.submit(fact, at: now, append)
        } answered: { [weak self] result in
            switch result {
            case .success(let decision) where decision.isDropped:
                self?.entries[ObjectIdentifier(session)]?.skipPause()
            case .success: break
            case .failure(let refusal): self?.take(refusal, of: fact, in: session, at: loop.now)
            }
        }
    }

    /// The session has not taken a fact: what the application says no to is told to operators, all
    /// else is tried again.
    private func take(
        _ refusal: Refusal, of fact: SessionFact, in session: Session, at now: Instant
    ) {
        guard !session.isEnded else { return }
        guard case .rejected(let rejection, _) = refusal else {
            entries[ObjectIdentifier(session), default: beginning].fail(fact, at: now)
            return expectNext(of: session)
        }
        context.diagnostics.write(
            (
                "fact-rejected", .notice,
                "The application has rejected \(fact.name) with \(rejection.code)."
            ),
            of: "\(session.mountName)/\(session.id)", at: now)
    }
}

extension SessionFact {
    /// The fact without the one whom it is about, for the log.
    fileprivate var name: String {
        switch self {
        case .restored: "that it was restored"
        case .watchersChanged: "that watchers came or left"
        }
    }
}
