extension AsyncSequence {
    /// At most one value an interval: the first at once, then the newest, never losing the last.
    ///
    ///     for await count in store.values(of: \.count).throttle(for: .seconds(1)) { … }
    ///
    /// The sequence is asked only when a value may pass, so that what it keeps meanwhile decides:
    /// a store's values keep the newest, others may keep all. Ends when its task is cancelled.
    public func throttle<C: Clock>(
        for interval: C.Duration, clock: C
    ) -> ThrottledSequence<Self, C> {
        ThrottledSequence(base: self, interval: interval, clock: clock)
    }

    /// At most one value an interval, by the continuous clock.
    public func throttle(for interval: Duration) -> ThrottledSequence<Self, ContinuousClock> {
        throttle(for: interval, clock: .continuous)
    }
}

/// A sequence that is asked for at most one value an interval.
public struct ThrottledSequence<Base: AsyncSequence, C: Clock>: AsyncSequence {
    let base: Base
    let interval: C.Duration
    let clock: C

    /// Reads the values one by one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), interval: interval, clock: clock)
    }

    /// Reads the values, waiting before each but the first.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let interval: C.Duration
        let clock: C
        /// The instant at which the next value may pass.
        var turn: C.Instant?

        /// The next value, once its turn has come; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Base.Failure) -> Base.Element? {
            if let turn, clock.now < turn {
                let hasSlept: Void? = try? await clock.sleep(until: turn, tolerance: nil)
                guard hasSlept != nil else { return nil }
            }
            let element = try await base.next(isolation: actor)
            turn = clock.now.advanced(by: interval)
            return element
        }
    }
}

extension ThrottledSequence: Sendable where Base: Sendable {}
