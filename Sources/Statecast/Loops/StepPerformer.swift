import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// Does for the clients of one loop's sessions what the sessions' steps ask for.
final class StepPerformer: TimerHandler {
    /// The instants at which the sessions are to be looked at.
    let deadlines = SessionDeadlines()
    let limits: SessionLimits
    /// By their sessions, in their order.
    var settling: [ObjectIdentifier: [SettlingRequest]] = [:]
    /// The memory in which bodies are written before they are sent.
    var scratch: [UInt8] = []
    /// The clients that a change of the state has moved to projections of other classes.
    var moved: (watchers: [StreamWatcher], waiters: [Waiter]) = ([], [])
    /// The sessions whose last change is shown in several turns. In each of them one goes on.
    private var publishing: [Session] = []
    /// What goes before the next change of a session, once the present one is shown.
    private var waiting: [(session: Session, job: () -> Void)] = []
    /// The sessions whose silent streams are spoken to then.
    private var silent: Set<ObjectIdentifier> = []
    /// The changes, counted for each watcher that they were for, also where it was too slow for one.
    private(set) var eventCount = 0
    /// Of these, joined with a later one.
    private(set) var joinedCount = 0
    /// The sessions whose journal could not say what it has kept, and those that another server has
    /// taken over.
    var failed: [Session] = []
    /// Some of these, or of those whose effects have ended: nobody asks the lists in each turn.
    var hasDueAnswers = false

    init(limits: SessionLimits) {
        self.limits = limits
    }

    /// A request is about a session, of which something can be let go of after a while without any.
    @inline(__always)
    func noteUse(of session: Session, at now: Instant) {
        session.noteUse(at: now)
        let end = now.advanced(byNanoseconds: session.context.cacheNanoseconds)
        deadlines.expect(session, by: end, early: .zero)
    }

    /// Has a session decide about actions of the server's own, and goes on once they are kept.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes of the actions as JSON; nil for facts about the session.
    ///   - ifMatch: the versions that may decide; nil: any.
    func submit(
        _ byteCount: Int?, key: RequestKey?, ifMatch: [Token]? = nil, to session: Session,
        at now: Timestamp, on loop: isolated EventLoop,
        _ decide:
            (any TakesActions, StagedBatch.Append, ActionMemory) throws(Refusal) -> Decision,
        answered: @escaping (Result<Decision, Refusal>) -> Void
    ) {
        let reply: Reply
        do throws(Refusal) {
            reply = try session.submit(byteCount, key: key, ifMatch: ifMatch, at: now, decide)
        } catch {
            reply = .now(.failure(error))
        }
        perform(session, on: loop)
        switch reply {
        case .now(let result): answered(result)
        case .later(let held): held.then(answered)
        }
    }

    /// Does all steps of a session, until it is at rest.
    func perform(_ session: Session, on loop: isolated EventLoop) {
        let now = session.time(on: loop)
        while let step = session.nextStep(at: now) { perform(step, of: session, on: loop) }
        if session.mayOweVersion { deadlines.expect(session, by: loop.now) }
    }

    /// Has those who watch a projection be shown the change that is being published before one who asks for
    /// it.
    func hurry(
        _ projection: Projection, of session: Session, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        guard session.isLate(projection), projection.byteCount != nil else { return }
        _ = try session.shows(projection)
        perform(session.publishMore(isEarly: true), of: session, on: loop)
    }

    /// Does something once the change that is being published is shown, and before the next one is.
    func onceShown(_ session: Session, _ job: @escaping () -> Void) {
        guard session.isPublishing else { return job() }
        waiting.append((session, job))
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        let session = publishing.removeFirst()
        if !publishing.isEmpty { _ = loop.schedule(after: .zero, self) }
        if !session.isEnded { perform(session.publishMore(), of: session, on: loop) }
        if !session.isPublishing { goOnBetweenChanges(of: session, on: loop) }
        guard !session.isEnded else { return }
        perform(session, on: loop)
        answerSettled(of: session, on: loop)
    }

    private func goOnBetweenChanges(of session: Session, on loop: isolated EventLoop) {
        if silent.remove(ObjectIdentifier(session)) != nil, !session.isEnded {
            breakSilence(of: session, on: loop)
        }
        let due = waiting.filter { $0.session === session }
        guard !due.isEmpty else { return }
        waiting.removeAll { $0.session === session }
        session.hear(at: session.time(on: loop))
        for (_, job) in due { job() }
    }

    private func perform(
        _ step: SessionStep, of session: Session, on loop: isolated EventLoop
    ) {
        switch step {
        case .regroup: move(clientsOf: session, on: loop)
        case .publish(let whole, let others):
            if let whole { publish(whole, of: session, on: loop) }
            for projection in others { publish(projection, of: session, on: loop) }
            sendMoved(on: loop)
            guard session.isPublishing, !publishing.contains(where: { $0 === session }) else {
                return
            }
            publishing.append(session)
            if publishing.count == 1 { _ = loop.schedule(after: .zero, self) }
        case .unreadable(let refusal):
            endWaiters(of: session, ProblemDetails(refusal), on: loop)
            sendMoved(on: loop)
        case .answer(let held, let result): held.finish(result)
        case .reopen, .leave:
            if case .reopen = step { endStreams(of: session, "busy", on: loop) }
            failed.append(session)
            hasDueAnswers = true
        }
    }

    // MARK: Clients

    /// Sends a projection's new value to all that watch it or wait for it.
    private func publish(
        _ projection: Projection, of session: Session, on loop: isolated EventLoop
    ) {
        guard let audience = Audience.known(of: projection) else { return }
        if case .absence(let base) = projection.kind {
            return move(clientsOf: audience, base, on: loop)
        }
        let events = audience.publish(
            projection, of: session, waitingBehind: limits.watcherByteCount, on: loop)
        eventCount += events.count
        joinedCount += events.joinedCount
        for waiter in released(audience.takeWaiters(), of: projection, session) {
            waiter.answer(on: loop)
        }
    }

    private func released(
        _ waiters: [Waiter], of projection: Projection, _ session: Session
    ) -> [Waiter] {
        if !waiters.isEmpty { session.add(waiters: -waiters.count, to: projection) }
        return waiters
    }

    private func audiences(of session: Session) -> [(audience: Audience, projection: Projection)] {
        session.projections.all.compactMap { projection in
            Audience.known(of: projection).map { ($0, projection) }
        }
    }

    /// Refuses all requests that wait for a change: the session has ended, or cannot be read.
    ///
    /// - Parameter problem: nil: there was no change so far.
    func endWaiters(
        of session: Session, _ problem: ProblemDetails?, on loop: isolated EventLoop
    ) {
        for (audience, projection) in audiences(of: session) {
            for waiter in released(audience.takeWaiters(), of: projection, session) {
                waiter.refuse(problem, on: loop)
            }
        }
    }

    /// Sends the streams of a session what waits for its time, for the session is about to end.
    func hurryStreams(of session: Session, on loop: isolated EventLoop) {
        for (audience, _) in audiences(of: session) {
            audience.hurry(waitingBehind: limits.watcherByteCount, on: loop)
        }
    }

    /// Ends all streams of a session with an event that says why; or nil: their clients come again soon.
    func endStreams(of session: Session, _ event: String?, on loop: isolated EventLoop) {
        for (audience, _) in audiences(of: session) { audience.endStreams(event, on: loop) }
    }

    /// Ends the streams and refuses the held requests of one principal; one that is to show what its
    /// actions come to shows nothing, and is answered.
    ///
    /// - Parameter id: the principal's.
    func closeClients(_ id: String, of session: Session, on loop: isolated EventLoop) {
        for (audience, projection) in audiences(of: session) {
            audience.endStreams(of: id, "unauthorized", on: loop)
            for waiter in released(audience.takeWaiters(of: id), of: projection, session) {
                waiter.refuse(.unauthenticated, on: loop)
            }
        }
        endSettling(of: session, isSettled: false, isShown: false, on: loop) {
            $0.request.viewer?.id == id
        }
    }

    /// Sends something on the streams of a session where nothing was sent for a while, and again once
    /// that is to be done next.
    func breakSilence(of session: Session, on loop: isolated EventLoop) {
        guard !session.isPublishing else {
            // Lines name the version, which some are still to be shown.
            silent.insert(ObjectIdentifier(session))
            return
        }
        let next = audiences(of: session).compactMap { audience, projection in
            audience.breakSilence(projection, of: session, limits, on: loop)
        }.min()
        if let next { deadlines.expect(session, by: next) }
    }

    /// Has the streams of a session begin anew with another state.
    func beginAnew(_ session: Session) {
        for (audience, _) in audiences(of: session) { audience.begin() }
    }
}

/// The instants at which sessions of one loop are to be looked at: each has the earliest at which
/// something of it may be due, and costs nothing before. A value without a clock.
///
/// A session that is used puts nothing off: what was due is only found not to be when its deadline
/// comes.
final class SessionDeadlines {
    private let timers = TimerHeap<Session>()
    /// The timers run ahead of the clock by so much.
    private var lead = Duration.zero

    /// The number of sessions that are to be looked at.
    var count: Int { timers.count }

    /// Has a session looked at by an instant, or sooner where something else is due before.
    ///
    /// - Parameter early: it was hurried by so much, and takes its place among those that still are.
    @inline(__always)
    func expect(_ session: Session, by instant: Instant, early: Duration = .zero) {
        if instant < session.deadline { set(session, instant, early) }
    }

    private func set(_ session: Session, _ instant: Instant, _ early: Duration) {
        guard !session.isEnded else { return }
        session.deadline = instant
        let turned = instant.advanced(by: lead - early)
        guard !timers.reschedule(session.timer, at: turned) else { return }
        session.timer = timers.schedule(at: turned, session)
    }

    /// Has the sessions looked at now of which something may be due within a time.
    func hurry(by duration: Duration) { lead += duration }

    /// A session has ended.
    func remove(_ session: Session) {
        timers.cancel(session.timer)
        session.deadline = .never
    }

    /// Takes a session that is to be looked at by now; nil where none is.
    func next(at now: Instant) -> Session? {
        guard let session = timers.popDue(at: now.advanced(by: lead))?.payload else { return nil }
        session.deadline = .never
        return session
    }
}

extension Session {
    /// The time of what is decided now: by the clock that the application was given, or else the
    /// machine's, which is read once a turn.
    func time(on loop: isolated EventLoop) -> Timestamp {
        if let time = actions?.time { return time }
        return Timestamp(milliseconds: loop.wallClockMilliseconds)
    }
}
