import HTTPServer
import Redux
import Sessions
import Sockets

/// Asks access control again about the clients of one loop's open streams, each once a period: it may
/// grant another principal by now, whose view the stream shows from then on. A stream that is granted
/// to none ends.
final class AccessChecks: TimerHandler {
    /// The checks of one turn may take so much of it.
    private static let turnDuration = Duration.milliseconds(5)
    /// The pause before the next turn where more are due.
    private static let pause = Duration.milliseconds(20)

    private var queue: CheckQueue<StreamCheck>
    private let viewers: ViewerChange
    private let context: SessionContext
    /// The timer fires so often, or once a period where that is shorter.
    private let interval: Duration
    private var isScheduled = false

    /// Nil where the limits say that streams are never checked.
    init?(_ context: SessionContext, _ facts: SessionFacts) {
        guard let duration = context.limits.accessCheckDuration else { return nil }
        self.context = context
        let period = max(.milliseconds(1), duration)
        queue = CheckQueue(period: period)
        interval = min(.seconds(1), period)
        viewers = ViewerChange(limits: context.limits, facts: facts)
    }

    /// A stream has begun, for the principal that access control has just found.
    func add(
        _ watcher: StreamWatcher, _ request: AccessRequest, asking control: AccessControl,
        on loop: isolated EventLoop
    ) {
        guard !watcher.isClosed else { return }
        let check = StreamCheck(
            .init(watcher: watcher, request: request, control: control), in: self)
        watcher.check = check
        count(request.byteCount)
        queue.add(check, at: loop.now)
        schedule(after: interval, on: loop)
    }

    /// A stream that was added has closed.
    func noteClosed(_ request: AccessRequest) {
        count(-request.byteCount)
        queue.noteGone(\.isOver)
    }

    /// Counts what is kept of requests among the memory that clients hold.
    private func count(_ byteCount: Int) {
        context.budget.add(.sessions, of: context.loopIndex, byteCount)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        isScheduled = false
        let end = Instant.read().advanced(by: Self.turnDuration)
        while let check = queue.next(at: loop.now, isGone: \.isOver) {
            perform(check, on: loop)
            if Instant.read() >= end { break }
        }
        guard !queue.isEmpty else { return }
        schedule(after: queue.hasDue(at: loop.now) ? Self.pause : interval, on: loop)
    }

    private func perform(_ check: StreamCheck, on loop: isolated EventLoop) {
        guard let subject = check.subject else { return }
        let watcher = subject.watcher
        guard let principal = subject.control.principal(ofStream: subject.request) else {
            watcher.check = nil
            count(-subject.request.byteCount)
            watcher.sendControl("unauthorized", on: loop)
            watcher.stream?.finish(on: loop)
            return
        }
        queue.add(check, at: loop.now)
        viewers.change(watcher, to: principal, on: loop)
    }

    private func schedule(after duration: Duration, on loop: isolated EventLoop) {
        guard !isScheduled else { return }
        isScheduled = true
        _ = loop.schedule(after: duration, self)
    }
}
