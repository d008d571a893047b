internal import Sockets

/// Looks through the connections of a loop for what is overdue, a part of them at each tick, so
/// that deadlines cost nothing where requests are answered: no timer is moved for them.
final class Sweeper: TimerHandler {
    private let context: LoopContext
    private let interval: Duration
    private var timer = Timer.none
    private var isRunning = false
    /// The bytes that wait for the clients, by slices of the connections.
    private var outputs = SlicedRound()

    init(_ context: LoopContext) {
        self.context = context
        interval = Self.period(for: context.limits) / SlicedRound.sliceCount
    }

    /// The time of a round: a second, or less when a limit is shorter.
    private static func period(for limits: HTTPLimits) -> Duration {
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
        let memory = context.shared.memory
        guard context.connections.count > 0 else {
            isRunning = false
            outputs = SlicedRound()
            return memory.update(.output, of: context.index, 0)
        }
        let slice = outputs.slice(of: context.connections.slotCount)
        outputs.visited(sweep(slice, on: loop))
        memory.update(.output, of: context.index, outputs.sum)
        self.timer = loop.schedule(after: interval, self)
    }

    /// Looks for what is overdue among some of the slots. Returns how many bytes of output their
    /// connections hold.
    @discardableResult
    func sweep(_ slots: Range<Int>, on loop: isolated EventLoop) -> Int {
        let now = context.now(loop)
        let mostUnread = context.shared.mostUnreadByteCount
        var byteCount = 0
        for slot in slots where slot < context.connections.slotCount {
            guard let connection = context.connections[slot] else { continue }
            connection.tick(at: now, mostUnread: mostUnread, on: loop)
            byteCount += connection.uncountedByteCount
        }
        return byteCount
    }
}
