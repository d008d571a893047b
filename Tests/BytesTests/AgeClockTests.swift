@testable import Bytes
import Testing

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
        #expect(pass(1_000, setting: 40 * Self.day) == start + 1_000)
        #expect(pass(3 * Self.day) == start + 1_000 + 3 * Self.day)
        #expect(pass(1_000, setting: -40 * Self.day) == start + 2_000 + 3 * Self.day)
        #expect(pass(1_000) == wall)
    }

    @Test mutating func `nothing that is kept for a day is old before a day has passed`() {
        var random = SplitMix(seed: 6)
        var kept: [(at: Int64, steady: Int64)] = []
        for _ in 0..<2_000 {
            let jump = Int64.random(in: -2...2, using: &random) * Self.day / 3
            let now = pass(.random(in: 0...3_600_000, using: &random), setting: jump)
            for (at, stored) in kept where now - at >= Self.day {
                #expect(steady - stored >= Self.day)
            }
            kept = kept.suffix(60) + [(wall, steady)]
        }
    }

    @Test func `counts no long pause before a start in the first hour, and all of it then`() {
        let (newest, wall) = (100 * Self.day, 140 * Self.day)
        let lead = AgeClock.lead(over: newest, wall: wall)
        var clock = AgeClock()
        func time(_ passed: Int64, setting jump: Int64 = 0) -> Int64 {
            clock.time(
                wall: wall + passed + jump, at: Instant(nanoseconds: passed * 1_000_000),
                lead: lead)
        }
        #expect(time(0) == newest)
        #expect(time(3_599_999) == newest + 3_599_999)
        #expect(time(3_600_000) == wall + 3_600_000)
        // A clock that was wrong, and is set.
        #expect(time(3_600_000, setting: -40 * Self.day) == newest + 3_600_000)
        #expect(AgeClock.lead(over: wall - Self.day, wall: wall) == 0)
        #expect(AgeClock.lead(over: wall + Self.day, wall: wall) == 0)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 200 * Self.day, .max])
    func `counts no pause behind a time that no entry has`(newest: Int64) {
        #expect(AgeClock.lead(over: newest, wall: 100 * Self.day) == 0)
    }

    @Test mutating func `goes back with the wall clock, so that all is younger`() {
        _ = pass(0)
        #expect(pass(1_000, setting: -Self.day) == 1_000)
        #expect(pass(1_000, setting: Self.day) <= wall)
    }
}
