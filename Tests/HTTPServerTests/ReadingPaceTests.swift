@testable import HTTPServer
import Sockets
import Testing

@Suite struct ReadingPaceTests {
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.leastBytesPerSecond = 100
        limits.leastRateDuration = .seconds(60)
        return limits
    }()

    private func at(_ seconds: Int64) -> Instant {
        Instant(nanoseconds: 5_000_000_000 + seconds * 1_000_000_000)
    }

    /// Seconds and bytes that are taken then, and the first second at which that is too slow.
    private static let courses: [([(Int64, Int)], Int64)] = [
        ([], 60),
        ([(1, 5_999)], 60),
        ([(30, 3_000), (59, 2_999)], 60),
        // Enough in the first minute; the second begins with the next byte.
        ([(1, 6_000), (75, 1)], 135),
        ([(1, 6_000), (75, 6_000), (140, 5_999)], 200),
        // What was more in one minute does not count for the next.
        ([(1, 6_000_000), (61, 1), (80, 1), (99, 1)], 121),
    ]

    @Test(arguments: courses)
    func `a client is too slow once a minute is over in which it took too little`(
        taken: [(Int64, Int)], end: Int64
    ) {
        var times = ConnectionTimes(now: at(0), expiry: at(1_000))
        var rest = taken[...]
        for second in 0...end {
            while let next = rest.first, next.0 == second {
                times.taken(next.1, at: at(second), .init(Self.limits))
                rest.removeFirst()
            }
            #expect(times.isTooSlow(at: at(second), .init(Self.limits)) == (second == end))
        }
    }

    @Test func `a byte now and then does not keep a connection`() {
        var limits = Self.limits
        limits.writeProgressDuration = .seconds(20)
        var machine = ConnectionMachine(now: at(0))
        machine.flushed(.blocked, at: at(0))
        for second in stride(from: Int64(19), to: 60, by: 19) {
            machine.sent(1, at: at(second), .init(limits))
            #expect(machine.overdue(at: at(second + 2), limits) == nil)
        }
        #expect(machine.overdue(at: at(60), limits) == .close)
        // Nor does one that comes when the minute is over, and nobody has looked yet.
        machine.sent(1, at: at(61), .init(limits))
        #expect(machine.overdue(at: at(61), limits) == .close)
    }

    @Test func `what was sent at once, or waits anew, begins a period of its own`() {
        var machine = ConnectionMachine(now: at(0))
        #expect(machine.overdue(at: at(70), Self.limits) == nil)
        machine.flushed(.blocked, at: at(70))
        #expect(machine.overdue(at: at(89), Self.limits) == nil)
        machine.flushed(.drained, at: at(89))
        machine.flushed(.blocked, at: at(129))
        machine.sent(1, at: at(131), .init(Self.limits))
        #expect(machine.overdue(at: at(140), Self.limits) == nil)
    }
}
