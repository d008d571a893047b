import HTTPServer
import Redux
import Sessions
import Sockets

/// Asks access control again about the clients of one loop's open streams, each once a period: a stream
/// is the one's whom it finds now, and ends where it finds none.
final class AccessChecks: TimerHandler {
    /// A stream, and the request that it answers.
    private struct Check {
        let watcher: StreamWatcher
        let request: AccessRequest
        let control: AccessControl
    }

    /// The checks of one turn may take so much of it.
    private static let turnDuration = Duration.milliseconds(5)
    /// The pause before the next turn where more are due.
    private static let pause = Duration.milliseconds(20)

    private var queue: CheckQueue<Check>
    private let viewers: ViewerChange
    /// The timer fires so often, or once a period where that is shorter.
    private let interval: Duration
    private var isScheduled = false

    init(_ limits: SessionLimits, _ facts: SessionFacts) {
        queue = CheckQueue(period: limits.accessCheckDuration)
        interval = min(.seconds(1), limits.accessCheckDuration)
        viewers = ViewerChange(limits: limits, facts: facts)
    }

    /// A stream has begun, for the principal that access control has just found.
    func add(
        _ watcher: StreamWatcher, _ request: AccessRequest, asking control: AccessControl,
        on loop: isolated EventLoop
    ) {
        guard !watcher.isClosed else { return }
        watcher.checks = self
        queue.add(Check(watcher: watcher, request: request, control: control), at: loop.now)
        schedule(after: interval, on: loop)
    }

    /// A stream that was added has closed.
    func noteClosed() { queue.noteGone(\.watcher.isClosed) }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        isScheduled = false
        let end = Instant.read().advanced(by: Self.turnDuration)
        while let check = queue.next(at: loop.now, isGone: \.watcher.isClosed) {
            perform(check, on: loop)
            if Instant.read() >= end { break }
        }
        guard !queue.isEmpty else { return }
        schedule(after: queue.hasDue(at: loop.now) ? Self.pause : interval, on: loop)
    }

    private func perform(_ check: Check, on loop: isolated EventLoop) {
        guard let principal = check.control.principal(ofStream: check.request) else {
            check.watcher.checks = nil
            check.watcher.sendControl("unauthorized", on: loop)
            check.watcher.stream?.finish(on: loop)
            return
        }
        queue.add(check, at: loop.now)
        viewers.change(check.watcher, to: principal, on: loop)
    }

    private func schedule(after duration: Duration, on loop: isolated EventLoop) {
        guard !isScheduled else { return }
        isScheduled = true
        _ = loop.schedule(after: duration, self)
    }
}
