import Redux
import Testing

@Suite struct `The bounds of a store` {
    private func bench(
        _ middleware: [Middleware<EffectBench.State, EffectBench.Action>] = [],
        _ change: (inout StoreLimits) -> Void
    ) -> EffectBench {
        var limits = StoreLimits()
        change(&limits)
        return EffectBench(middleware, limits: limits)
    }

    private func code(of outcome: Outcome) -> String? {
        if case .rejected(let rejection) = outcome { rejection.code } else { nil }
    }

    @Test func `let an effect report any number, as fast as its actions are taken`() async {
        let bench = bench { $0.queuedActions = 10 }
        bench.store.dispatch(.flooded(1_000))
        await bench.settle()
        #expect(bench.store.state.counts == Array(1...1_000))
        #expect(bench.diagnostics.isEmpty)
    }

    @Test func `leave out an effect beyond those that may run`() {
        let bench = bench { $0.runningEffects = 1 }
        bench.store.dispatch(.waited("a"))
        bench.store.dispatch(.waited("b"))
        #expect(bench.store.runningEffects.map(\.name) == ["a"])
        #expect(bench.diagnostics == [.effectsExhausted(name: "b", limit: 1)])
        #expect(bench.store.isSettled(2))
        bench.store.cancelAllEffects()
    }

    @Test func `leave out an effect beyond those that may wait`() {
        let bench = bench { $0.queuedEffects = 1 }
        for _ in 0..<3 { bench.store.dispatch(.waited("a")) }
        #expect(bench.store.runningEffects.count == 2)
        #expect(bench.diagnostics == [.effectsExhausted(name: "a", limit: 1)])
        bench.store.cancelAllEffects()
    }

    @Test func `refuse to delay an action where no other may wait, and begin effects all the same`()
    {
        let delay = Middleware<EffectBench.State, EffectBench.Action>(
            "delay",
            intercept: { action, _, _ in
                if case .counted = action { .delay(.seconds(1), key: nil) } else { .pass }
            })
        let bench = bench([delay]) { $0.runningEffects = 1 }
        #expect(bench.store.dispatch(.counted(1)) == .delayed(.seconds(1)))
        #expect(code(of: bench.store.dispatch(.counted(2))) == "too-many-effects")
        bench.store.dispatch(.waited("a"))
        #expect(bench.store.runningEffects.contains { $0.name == "a" })
        bench.store.cancelAllEffects()
    }

    @Test func `refuse what an observer dispatches beyond those that may wait`() {
        let bench = bench { $0.queuedActions = 2 }
        var codes: [String?] = []
        let subscription = bench.store.observe(\.isHere) { isHere in
            guard !isHere else { return }
            codes = (1...3).map { code(of: bench.store.dispatch(.counted($0))) }
        }
        bench.store.dispatch(.left)
        #expect(codes == [nil, nil, "too-many-queued"])
        #expect(bench.store.state.counts == [1, 2])
        subscription.cancel()
    }

    @Test func `refuse what is expanded into more than may wait`() {
        let expand = Middleware<EffectBench.State, EffectBench.Action>(
            "expand",
            intercept: { action, _, _ in
                guard case .counted(let count) = action else { return .pass }
                return .expand((0..<count).map { .counted($0) })
            })
        let bench = bench([expand]) { $0.queuedActions = 3 }
        #expect(bench.store.dispatch(.counted(3)) == .accepted(first: 1, last: 3, changed: true))
        #expect(code(of: bench.store.dispatch(.counted(4))) == "too-many-queued")
        #expect(bench.store.dispatch(.counted(0)) == .dropped)
    }
}

@Suite struct `The environment` {
    @Test func `takes seeds from the system, each another one`() {
        let environment = Environment(now: { Timestamp(milliseconds: 0) })
        let seeds = (0..<100).map { _ in environment.makeSeed() }
        #expect(Set(seeds).count == 100)
    }

    @Test func `tells times in their order`() {
        #expect(Timestamp(milliseconds: -1) < Timestamp(milliseconds: 0))
        #expect(!(Timestamp(milliseconds: 0) < Timestamp(milliseconds: 0)))
    }

    @Test(arguments: [
        (0, Duration.milliseconds(1_500), 1_500), (7, .seconds(-1), -993),
        (0, .microseconds(1_999), 1), (Int64.max - 1, .milliseconds(2), .max),
        (0, .seconds(Int64.max), .max), (0, .seconds(Int64.min), .min),
        (Int64.min, .milliseconds(-1), .min), (Int64.min, .seconds(1), .min + 1_000),
    ])
    func `adds a duration to a time, as far as there are times`(
        milliseconds: Int64, duration: Duration, sum: Int64
    ) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(time + duration == Timestamp(milliseconds: sum))
    }
}
