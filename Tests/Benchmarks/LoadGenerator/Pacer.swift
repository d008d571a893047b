import Sockets

/// Posts at a fixed rate, over the sessions in turn. A post that is late counts from when it was
/// due, so that a stall shows in the latencies.
final class Pacer: TimerHandler {
    private let nanosecondsBetween: Int64
    private let run: LoadRun
    private var next: Instant
    private var session = 0
    private var isStopped = false

    init(rate: Double, run: LoadRun, on loop: isolated EventLoop) {
        nanosecondsBetween = Int64(1_000_000_000 / rate)
        self.run = run
        next = loop.now
        timerFired(loop.schedule(after: .zero, self), on: loop)
    }

    func stop() { isStopped = true }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        guard !isStopped else { return }
        loop.cancel(timer)
        let now = Instant.read()
        while next <= now {
            run.post(to: session, at: next, on: loop)
            session = (session + 1) % run.plan.sessions
            next = next.advanced(byNanoseconds: nanosecondsBetween)
        }
        _ = loop.schedule(at: next, self)
    }
}
