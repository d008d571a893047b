internal import Sockets

/// Looks through the connections of a loop for what is overdue, a part of them at each tick, so
/// that deadlines cost nothing where requests are answered: no timer is moved for them.
final class Sweeper: TimerHandler {
    /// In how many parts a period goes through all connections.
    private static let partCount = 16

    /// Set once, before the first tick.
    unowned var server: ServerLoop?
    private let interval: Duration
    private var timer = Timer.none
    private var isRunning = false
    private var part = 0

    init(period: Duration) {
        interval = period / Self.partCount
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
            return
        }
        let count = server.connections.slotCount
        let start = part * count / Self.partCount
        part += 1
        server.sweep(start..<(part * count / Self.partCount), on: loop)
        part %= Self.partCount
        self.timer = loop.schedule(after: interval, self)
    }
}
