/// Says how old a thing is that the wall clock has dated, although that clock may be set meanwhile: what
/// is kept for a time is kept for that time at least. A value without a clock.
///
/// It goes as the wall clock does. A wall clock that is set forward makes nothing older, until the process
/// is started again; one that is set back takes back what it was ahead.
///
/// A machine may start with a wrong wall clock, and set it within minutes. So a journal whose newest entry
/// seems to be older than a day counts that pause as no time in the first hour; a server that was really
/// off for so long ends, forgets and trims what is over after that.
package struct AgeClock {
    private static let pause: Int64 = 24 * 3_600_000
    private static let heldDuration: Int64 = 3_600_000

    /// The wall clock has been ahead of the monotonic one by so much at least.
    private var least = Int64.max
    private var start: Int64?

    package init() {}

    /// The time by which ages count, in milliseconds.
    ///
    /// - Parameter lead: what the journal says (`lead(over:wall:)`).
    package mutating func time(wall: Int64, at instant: Instant, lead: Int64 = 0) -> Int64 {
        let now = instant.nanoseconds / 1_000_000
        least = min(least, wall - now)
        let start = start ?? now
        self.start = start
        return least + now - (now - start < Self.heldDuration ? lead : 0)
    }

    /// The pause between the newest entry and a start; 0 where it is short, or the entry is of before 1970:
    /// nobody has looked yet whether its time is what was written.
    package static func lead(over newest: Int64, wall: Int64) -> Int64 {
        (0..<max(0, wall - pause)).contains(newest) ? wall - newest : 0
    }
}
