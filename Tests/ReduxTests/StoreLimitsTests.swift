import Redux
import Testing

@Suite struct `The bounds of a store` {
    private func bench(
        _ middleware: [Middleware<EffectBench.State, EffectBench.Action>] = [],
        onFlood: @escaping @Sendable () -> Void = {}, _ change: (inout StoreLimits) -> Void
    ) -> EffectBench {
        var limits = StoreLimits()
        change(&limits)
        return EffectBench(middleware, limits: limits, onFlood: onFlood)
    }

    private func code(of outcome: Outcome) -> String? {
        if case .rejected(let rejection) = outcome { rejection.code } else { nil }
    }

    @Test func `end an effect that reports more than anybody takes`() async {
        let (flooded, continuation) = AsyncStream.makeStream(of: Void.self)
        let bench = bench(onFlood: { continuation.finish() }) { $0.queuedReports = 2 }
        bench.store.dispatch(.flooded(5))
        for await _ in flooded {}
        await bench.settle()
        #expect(bench.store.state.counts == [1, 2])
        let error = "sent more than 2 actions that nobody took"
        #expect(bench.diagnostics == [.effectFailed(name: "flood", error: error)])
    }

    @Test func `let an effect report any number that is taken`() async {
        let bench = bench { $0.queuedReports = 10 }
        for _ in 0..<10 {
            bench.store.dispatch(.flooded(10))
            await bench.settle()
        }
        #expect(bench.store.state.counts.count == 100)
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

    @Test func `refuse to delay an action where no effect may run any more`() {
        let delay = Middleware<EffectBench.State, EffectBench.Action>(
            "delay",
            intercept: { action, _, _ in
                if case .counted = action { .delay(.seconds(1), key: nil) } else { .pass }
            })
        let bench = bench([delay]) { $0.runningEffects = 1 }
        #expect(bench.store.dispatch(.counted(1)) == .delayed(.seconds(1)))
        #expect(code(of: bench.store.dispatch(.counted(2))) == "too-many-effects")
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
}
