import Bytes
import Testing

@testable import Sessions

@Suite struct `The schedule of a replay` {
    /// Entries 8 to 12, one of them at the time of the one before it.
    private static let times: [Int64] = [100, 1_000, 1_000, 5_000, 600_000]

    private func instant(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private func schedule(_ mode: String) throws -> ReplaySchedule {
        ReplaySchedule(Self.times, behind: 7, try #require(ReplayMode(mode)), at: instant(0))
    }

    @Test func `keeps the intervals of the recording`() throws {
        let schedule = try schedule("1x")
        #expect(schedule.first == 7 && schedule.last == 12 && schedule.duration == 600_000)
        for (time, version) in [
            (0, 7), (99, 7), (100, 8), (999, 8), (1_000, 10), (4_999, 10), (5_000, 11),
            (599_999, 11), (600_000, 12), (9_000_000, 12),
        ] as [(Int64, UInt64)] {
            #expect(schedule.due(at: instant(time)) == version, "\(time)")
        }
        #expect(schedule.instant(after: 7) == instant(100))
        #expect(schedule.instant(after: 10) == instant(5_000))
        #expect(schedule.instant(after: 12) == nil)
        #expect(schedule.position(at: instant(700_000)) == 600_000)
    }

    @Test(arguments: [1, 3, 4, 7, 1_000])
    func `divides them by the speed`(speed: Int64) throws {
        let schedule = try schedule("\(speed)x")
        var (version, wakeUps): (UInt64, Int) = (7, 0)
        while let next = schedule.instant(after: version) {
            let due = schedule.due(at: next)
            #expect(due > version, "Who comes at that instant finds an entry.")
            #expect(schedule.due(at: next.advanced(byNanoseconds: -1)) == version)
            let time = Self.times[Int(due - 8)]
            #expect((next.nanoseconds - 1_000_000_000) * speed - time * 1_000_000 < speed)
            (version, wakeUps) = (due, wakeUps + 1)
        }
        #expect(version == 12 && wakeUps == 4)
    }

    @Test func `waits for each step`() throws {
        var schedule = try schedule("step")
        #expect(schedule.due(at: instant(9_000_000)) == 7)
        #expect(schedule.instant(after: 7) == nil)
        schedule.move(to: 8, at: instant(50))
        #expect(schedule.due(at: instant(9_000_000)) == 8)
        #expect(schedule.position(at: instant(9_000_000)) == 100)
        schedule.move(to: 11, at: instant(60))
        #expect(schedule.due(at: instant(60)) == 11 && schedule.position(at: instant(60)) == 5_000)
    }

    @Test func `is over at once`() throws {
        let schedule = try schedule("instant")
        #expect(schedule.due(at: instant(0)) == 12 && schedule.position(at: instant(0)) == 600_000)
        #expect(schedule.instant(after: 7) == nil)
    }

    @Test func `goes on in another way from where it is`() throws {
        var schedule = try schedule("1x")
        schedule.change(to: .speed(4), at: instant(600))
        #expect(schedule.due(at: instant(699)) == 8)
        #expect(schedule.due(at: instant(700)) == 10, "400 ms are left, at four times the speed.")
        schedule.change(to: .step, at: instant(800))
        #expect(schedule.position(at: instant(5_000)) == 1_400)
        #expect(schedule.due(at: instant(9_000_000)) == 10)
        schedule.change(to: .speed(1), at: instant(10_000))
        #expect(schedule.instant(after: 10) == instant(13_600))
        schedule.move(to: 11, at: instant(10_000))
        #expect(schedule.instant(after: 11) == instant(605_000))
        schedule.change(to: .instant, at: instant(10_001))
        #expect(schedule.due(at: instant(10_001)) == 12)
        schedule.change(to: .speed(2), at: instant(10_002))
        #expect(schedule.due(at: instant(10_002)) == 12, "Nothing is taken back.")
    }

    @Test func `of no entries is over`() {
        let schedule = ReplaySchedule([], behind: 3, .speed(1), at: instant(0))
        #expect(schedule.due(at: instant(1)) == 3 && schedule.duration == 0)
        #expect(schedule.instant(after: 3) == nil)
    }

    @Test(arguments: ["", "x", "0x", "01x", "-1x", "1.5x", "1001x", "4", "4X", "Step", "now"])
    func `has no such mode`(text: String) {
        #expect(ReplayMode(text) == nil)
    }

    @Test(arguments: ["1x", "4x", "1000x", "step", "instant"])
    func `has a mode that says its name`(text: String) {
        #expect(ReplayMode(text)?.description == text)
    }
}
