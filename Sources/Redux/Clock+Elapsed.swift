extension Clock where Duration == Swift.Duration {
    /// Measures the time that has passed since this call.
    func timeSinceNow() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
