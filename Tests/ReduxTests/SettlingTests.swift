import Redux
import Testing

@Suite struct `An action` {
    @Test func `has settled when all effects that follow from it have ended, and is told once`()
        async
    {
        let bench = EffectBench()
        bench.store.dispatch(.fanned(4))
        #expect(!bench.store.isSettled(1))
        #expect(bench.settled.isEmpty)
        await bench.settle()
        // Fans of 0 to 3 hops: 4 + 0 + 1 + 2 + 3 reports.
        #expect(bench.store.version == 11)
        #expect(bench.settled == [1])
        #expect(bench.store.isSettled(1))
    }

    @Test func `that starts nothing has settled at once, and nobody is told`() {
        let bench = EffectBench()
        bench.store.dispatch(.counted(1))
        #expect(bench.store.isSettled(1))
        #expect(bench.settled.isEmpty)
    }

    @Test func `settles apart from others`() async {
        let bench = EffectBench()
        bench.store.dispatch(.waited("long"))
        bench.store.dispatch(.fanned(1))
        while bench.settled.isEmpty, let delivery = await bench.nextDelivery() {
            bench.store.receive(delivery)
        }
        #expect(bench.settled == [2])
        #expect(!bench.store.isSettled(1))
        bench.store.cancelAllEffects()
        #expect(bench.settled == [2, 1])
    }

    @Test func `settles although its report is refused`() async {
        let bench = EffectBench()
        bench.store.dispatch(.refusedLater)
        await bench.settle()
        #expect(bench.settled == [1])
        let rejection = Rejection("refused", "No.")
        #expect(bench.diagnostics == [.effectRejected(name: "refused", rejection: rejection)])
    }

    @Test func `settles when its effect is cancelled, running or waiting`() async {
        let bench = EffectBench()
        bench.store.dispatch(.waited("a"))
        bench.store.dispatch(.waited("a"))
        #expect(bench.store.runningEffects.map(\.isWaiting) == [false, true])
        bench.store.dispatch(.replaced("a"))
        #expect(bench.settled == [1, 2])
        await bench.settle()
        #expect(bench.settled == [1, 2, 3])
        #expect(bench.store.runningEffects.isEmpty)
    }

    @Test func `settles when its work is cancelled, in the same turn`() {
        let store = Store<Bool, Bool>(
            initial: false, reducer: { state, action, _ in state = action },
            environment: Environment(now: { Timestamp(milliseconds: 0) }),
            work: { isWorking in
                guard isWorking else { return [] }
                return [
                    Work("work", for: 100_000, { try await $1.sleep(for: .seconds($0)) }) { _ in
                        false
                    }
                ]
            }, deliver: { _ in })
        var settled: [UInt64] = []
        store.onSettled = { settled.append($0) }
        store.dispatch(true)
        #expect(!store.isSettled(1))
        store.dispatch(false)
        #expect(settled == [1])
    }

    @Test func `settles with what it staged, committed or taken back`() async throws {
        for isKept in [true, false] {
            let bench = EffectBench()
            bench.store.dispatch(.fanned(1))
            let delivery = try #require(await bench.nextDelivery())
            bench.store.ledger.accept(delivery)
            #expect(bench.store.hasCausedActions)
            bench.store.submitCausedActions { _ in .later }
            #expect(bench.store.uncommitted.map(\.changed) == [false])
            #expect(bench.store.uncommitted.map(\.origin) == [.effect])
            #expect(bench.store.uncommitted.map(\.cause) == [1])
            let end = try #require(await bench.nextDelivery())
            bench.store.ledger.accept(end)
            #expect(!bench.store.hasCausedActions)
            #expect(bench.settled.isEmpty)
            if isKept { bench.store.commit(through: 2) } else { bench.store.revert() }
            #expect(bench.settled == [1])
        }
    }

    @Test func `settles later where a session ends before its report is committed`() async throws {
        let bench = EffectBench()
        bench.store.dispatch(.fanned(1))
        let delivery = try #require(await bench.nextDelivery())
        bench.store.ledger.accept(delivery)
        bench.store.submitCausedActions { _ in .later }
        bench.store.cancelAllEffects()
        #expect(bench.settled.isEmpty)
        bench.store.commit(through: 2)
        #expect(bench.settled == [1])
    }
}
