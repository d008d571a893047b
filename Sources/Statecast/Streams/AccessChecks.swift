import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets

/// Asks access control again about the clients of one loop's open streams, each once a period: it may
/// grant another principal by now, whose view the stream shows from then on. A stream that is granted
/// to none ends.
final class AccessChecks {
    /// The checks of one turn may take so much of it.
    private static let turnDuration = Duration.milliseconds(5)
    /// The pause before a check for which a turn had no time.
    private static let pause = Duration.milliseconds(20)

    private let context: SessionContext
    private let facts: SessionFacts
    private let period: Duration
    /// The turn of the last check, and the instant at which its time for checks is over.
    private var turn = (start: Instant.never, end: Instant.never)

    /// Nil where the limits say that streams are never checked.
    init?(_ context: SessionContext, _ facts: SessionFacts) {
        guard let duration = context.limits.accessCheckDuration else { return nil }
        self.context = context
        self.facts = facts
        period = max(.milliseconds(1), duration)
    }

    /// A stream has begun, for the principal that access control has just found.
    func add(
        _ watcher: StreamWatcher, _ request: SessionRequest, by gate: RequestGate,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) {
        guard !watcher.isClosed, let authorize = gate.authorize(request.plan),
            var asked = AccessRequest(
                request.head, in: bytes, request.plan, to: gate.served,
                from: request.exchange.remoteAddress)
        else { return }
        asked.purpose = .openStream
        watcher.stream?.hold(asked.byteCount)
        let check = StreamCheck(watcher, asked, authorize, self)
        check.timer = loop.schedule(after: period, check)
        watcher.check = check
    }

    /// Checks the client of a stream, and tells when to do so again; nil where the stream ends.
    fileprivate func perform(_ check: StreamCheck, on loop: isolated EventLoop) -> Duration? {
        if turn.start != loop.now {
            turn = (loop.now, Instant.read().advanced(by: Self.turnDuration))
        } else if Instant.read() >= turn.end {
            return Self.pause
        }
        let watcher = check.watcher
        guard case .granted(let principal) = check.authorize(check.request),
            principal.roles.contains(Role.observe)
        else {
            watcher.end("unauthorized", on: loop)
            return nil
        }
        change(watcher, to: principal, on: loop)
        return period
    }

    /// Has a stream show what another principal sees: at once, where that is not the same.
    private func change(
        _ watcher: StreamWatcher, to principal: Principal, on loop: isolated EventLoop
    ) {
        guard watcher.principal != principal, !watcher.session.isEnded,
            let audience = watcher.audience
        else { return }
        let isOther = watcher.principal.id != principal.id
        if isOther { facts.left(watcher, at: loop.now) }
        watcher.become(principal)
        // Before the application is told: what it does then may change the state, and the former
        // principal's view of the change must not be sent.
        show(watcher, in: audience, on: loop)
        if isOther, watcher.audience != nil { facts.came(watcher, on: loop) }
    }

    /// Has a stream show the projection that its principal sees in place of the present one.
    private func show(
        _ watcher: StreamWatcher, in audience: Audience, on loop: isolated EventLoop
    ) {
        let (session, old) = (watcher.session, watcher.projection)
        guard let present = audience.viewer(of: watcher) else { return }
        let viewer = Viewer(watcher.principal, arguments: present.arguments)
        let new = session.projections.find(like: old, watcher.absent, for: viewer)
        guard new.key != old.key else {
            let since = session.projections.since(viewer, of: new)
            return audience.set(viewer, since: since, of: watcher)
        }
        let shown = old.json
        audience.remove(watcher)
        watcher.move(to: new, as: viewer, on: loop)
        watcher.sendContent(
            insteadOf: shown, waitingBehind: context.limits.watcherByteCount, on: loop)
    }
}

/// The check of one stream's client, which comes up again once a period until the stream has closed.
final class StreamCheck: TimerHandler {
    fileprivate let watcher: StreamWatcher
    fileprivate let request: AccessRequest
    fileprivate let authorize: AccessRequest.Authorize
    fileprivate var timer = Timer.none
    private let checks: AccessChecks

    fileprivate init(
        _ watcher: StreamWatcher, _ request: AccessRequest,
        _ authorize: @escaping AccessRequest.Authorize, _ checks: AccessChecks
    ) {
        self.watcher = watcher
        self.request = request
        self.authorize = authorize
        self.checks = checks
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        if let pause = checks.perform(self, on: loop) {
            if watcher.check === self { self.timer = loop.schedule(after: pause, self) }
        } else {
            end(on: loop)
        }
    }

    /// The stream has closed, or ends.
    func end(on loop: isolated EventLoop) {
        guard watcher.check === self else { return }
        watcher.check = nil
        loop.cancel(timer)
    }
}
