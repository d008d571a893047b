extension Environment {
    /// A hundred years: clocks trap at points of time that they cannot count.
    static var longestSleep: Duration { .seconds(3_155_760_000) }

    /// Waits by the clock, a hundred years at most; throws when cancelled.
    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: min(duration, Self.longestSleep))
    }
}
