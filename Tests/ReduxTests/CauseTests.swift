import Redux
import StatecastTesting
import Testing

private enum Hop: Sendable, Equatable {
    case started
    /// Reported by an effect that the one before it started.
    case hopped(Int)
    case paused
}

private func makeStore(_ limit: Int, hops: Int = .max, pause: Duration = .zero) -> TestStore<
    Int, Hop
> {
    var limits = StoreLimits()
    limits.chainLength = limit
    return TestStore(
        initial: 0,
        reducer: { count, action, _ in
            if case .hopped(let number) = action { count = number }
        },
        middleware: [
            Middleware(
                "hops",
                effectsAfter: { step in
                    let next: Int
                    switch step.action {
                    case .started: next = 1
                    case .hopped(let number): next = number + 1
                    case .paused: return []
                    }
                    guard next <= hops else { return [] }
                    return [
                        .run("hop") { context in
                            try await context.sleep(for: pause)
                            try await context.send(.hopped(next))
                        }
                    ]
                })
        ], limits: limits)
}

@Suite struct `A chain of causes` {
    @Test func `through effects is cut at its limit, and told from its root on`() {
        let store = makeStore(4)
        store.send(.started)
        for number in 1...4 { store.receive(.hopped(number)) { $0 = number } }
        store.receive(diagnostic: .chainCut(causes: [1, 2, 3, 4, 5], limit: 4))
        store.finish()
    }

    @Test func `as long as its limit is not cut`() {
        let store = makeStore(4, hops: 4)
        store.send(.started)
        for number in 1...4 { store.receive(.hopped(number)) { $0 = number } }
        store.finish()
    }

    @Test func `begins anew after an effect that took its time`() {
        let store = makeStore(2, hops: 6, pause: .seconds(1))
        store.send(.started)
        for number in 1...6 {
            store.advance(by: .seconds(1))
            store.receive(.hopped(number)) { $0 = number }
        }
        store.finish()
    }

    @Test func `belongs to one root, beside others`() {
        let store = makeStore(2, hops: 2)
        store.send(.started)
        store.receive(.hopped(1)) { $0 = 1 }
        store.receive(.hopped(2)) { $0 = 2 }
        store.send(.paused)
        store.send(.started)
        store.receive(.hopped(1)) { $0 = 1 }
        store.receive(.hopped(2)) { $0 = 2 }
        store.finish()
    }
}

@Suite struct `Observers beside effects` {
    @Test(arguments: [0, 1, 100])
    func `start no effect twice, however many they are`(count: Int) {
        var started = 0
        let store = Store<Int, Hop>(
            initial: 0, reducer: { state, _, _ in state += 1 },
            middleware: [
                Middleware(
                    "effects",
                    effectsAfter: { _ in
                        [.run("wait", overlap: .queue) { try await $0.sleep(for: .seconds(9)) }]
                    })
            ],
            environment: Environment(now: { Timestamp(milliseconds: 0) }), deliver: { _ in })
        let subscriptions = (0..<count).map { _ in store.observe({ $0 }) { _ in started += 1 } }
        store.dispatch(.started)
        #expect(store.runningEffects.count == 1)
        #expect(started == count * 2)
        for subscription in subscriptions { subscription.cancel() }
        store.cancelAllEffects()
    }
}
