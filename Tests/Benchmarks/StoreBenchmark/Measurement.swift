/// Takes a figure as the best of many rounds.
enum Measurement {
    static let rounds = 500
    static let count = 1_000

    /// The best round: what disturbs a measurement only ever adds to it.
    static func best(_ body: () -> Void) -> Double {
        body()
        var best = Duration.seconds(1_000)
        for _ in 0..<rounds { best = min(best, ContinuousClock().measure(body)) }
        return nanoseconds(best)
    }

    /// The same of something that has to wait for another isolation.
    static func best(_ body: () async -> Void) async -> Double {
        await body()
        var best = Duration.seconds(1_000)
        for _ in 0..<rounds { best = min(best, await ContinuousClock().measure { await body() }) }
        return nanoseconds(best)
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        Double(duration.components.attoseconds) / 1e9 / Double(count)
            + Double(duration.components.seconds) * 1e9 / Double(count)
    }
}
