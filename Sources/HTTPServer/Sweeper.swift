internal import Sockets

/// Looks through the connections of a loop for what is overdue, a part of them at each tick, so
/// that deadlines cost nothing where requests are answered: no timer is moved for them.
final class Sweeper: TimerHandler {
    /// Set once, before the first tick.
    unowned var server: ServerLoop?
    private let interval: Duration
    private var timer = Timer.none
    private var isRunning = false
    /// What waits for the clients, by slices of the connections.
    private var outputs = SlicedRound()

    init(period: Duration) {
        interval = period / SlicedRound.sliceCount
    }

    /// A second, or less when a limit is shorter.
    static func period(for limits: HTTPLimits) -> Duration {
        let shortest = [
            limits.headDuration, limits.bodyDuration, limits.idleDuration,
            limits.writeProgressDuration, limits.leastRateDuration, limits.lingerDuration,
        ].reduce(.seconds(4), min)
        return max(shortest / 4, .milliseconds(16))
    }

    /// Ticks from now on, while there are connections.
    func begin(on loop: isolated EventLoop) {
        guard !isRunning else { return }
        isRunning = true
        timer = loop.schedule(after: interval, self)
    }

    /// Ticks no more.
    func end(on loop: isolated EventLoop) {
        loop.cancel(timer)
        isRunning = false
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        guard let server, server.connections.count > 0 else {
            isRunning = false
            outputs = SlicedRound()
            if let server { server.shared.memory.update(.output, of: server.index, 0) }
            return
        }
        let slice = outputs.slice(of: server.connections.slotCount)
        outputs.visited(server.sweep(slice, on: loop))
        server.shared.memory.update(.output, of: server.index, outputs.sum)
        self.timer = loop.schedule(after: interval, self)
    }
}
