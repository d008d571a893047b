import StatecastTesting

/// A manual clock that counts who goes to sleep.
struct CountingClock: Clock {
    let manual = ManualClock()
    /// How often somebody began to sleep.
    let sleeps = Count()

    var now: ManualClock.Instant { manual.now }
    var minimumResolution: Duration { manual.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.add()
        try await manual.sleep(until: deadline, tolerance: tolerance)
    }

    /// Moves the time, and wakes whose time has come.
    func advance(by duration: Duration) { manual.advance(by: duration) }
}
