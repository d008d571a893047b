package import Bytes
internal import Glibc

extension Instant {
    /// The clock as it stands, read now. Code on a loop uses the loop's `now`.
    package static func read() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC))
    }

    /// The clock as it stood at the kernel's last tick, 1 to 10 ms ago at most: for what is asked
    /// often and needs no more.
    package static func readCoarse() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC_COARSE))
    }

    /// The clock that goes on while the machine is suspended; nothing is compared with it but itself.
    package static func readThroughSuspension() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_BOOTTIME))
    }

    /// The wall clock as it stands: milliseconds since 1970, UTC.
    package static func readWallClock() -> Int64 {
        nanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    private static let age = Lock(AgeClock())

    /// The wall clock as it stands for what is old by it, with the lead of a journal: see `AgeClock`.
    package static func readAgeClock(lead: Int64) -> Int64 {
        age.withLock { $0.time(wall: readWallClock(), at: .read(), lead: lead) }
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        let failed = unsafe clock_gettime(clock, &time)
        precondition(failed == 0, "The clocks that every Linux has cannot be read.")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
