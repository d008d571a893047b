/// Says how old a thing is that the wall clock has dated, although that clock may be set meanwhile: what
/// is kept for a time is kept for that time at least. A value without a clock.
///
/// It goes as the wall clock does, until that is set forward: then it goes on, twice as fast as time
/// passes, until it has caught up. A wall clock that is set back takes back what it was ahead.
package struct AgeClock {
    /// The wall clock is ahead by so much.
    private var lead: Int64 = 0
    private var last: (wall: Int64, instant: Instant)?

    package init() {}

    /// The time by which ages count, in milliseconds.
    package mutating func time(wall: Int64, at instant: Instant) -> Int64 {
        if let last {
            let passed = last.instant.duration(to: instant).nanoseconds / 1_000_000
            let (gone, ahead) = (wall - last.wall, lead - passed)
            lead = max(0, ahead + gone - passed)
        }
        last = (wall, instant)
        return wall - lead
    }
}
