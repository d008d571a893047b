import Testing

@testable import Accounting

@Suite struct `The clock of ages` {
    private static let day: Int64 = 24 * 3_600_000
    private var clock = AgeClock()
    private var (wall, steady) = (Self.day, Int64(0))

    /// Time passes, and somebody sets the wall clock.
    private mutating func pass(_ passed: Int64, setting jump: Int64 = 0) -> Int64 {
        (wall, steady) = (wall + passed + jump, steady + passed)
        return clock.time(wall: wall, at: Instant(nanoseconds: steady * 1_000_000))
    }

    @Test mutating func `goes as the wall clock does`() {
        for hour in 0..<48 { #expect(pass(3_600_000) == Self.day + Int64(hour + 1) * 3_600_000) }
    }

    @Test mutating func `makes nothing old by a wall clock that is set forward and back again`() {
        let start = pass(0)
        #expect(pass(1_000, setting: 40 * Self.day) == start + 2_000)
        #expect(pass(3_600_000) == start + 2_000 + 2 * 3_600_000)
        #expect(pass(1_000, setting: -40 * Self.day) == start + 2_000 + 3_600_000)
        #expect(pass(1_000) == wall)
    }

    @Test mutating func `catches up with a wall clock that was late, twice as fast as time`() {
        let start = pass(0)
        _ = pass(0, setting: 10 * Self.day)
        for day in 1...10 as ClosedRange<Int64> {
            #expect(pass(Self.day) == start + 2 * day * Self.day)
        }
        #expect(pass(Self.day) == wall)
    }

    @Test mutating func `goes back with the wall clock, so that all is younger`() {
        _ = pass(0)
        #expect(pass(1_000, setting: -Self.day) == 1_000)
        #expect(pass(1_000, setting: Self.day) <= wall)
    }
}
