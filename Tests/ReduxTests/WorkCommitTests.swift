import StatecastTesting
import Testing

@testable import Redux

/// Work follows the committed state, and its reports are reduced on the head.
@Suite struct WorkCommitTests {
    let bench = LedgerBench()

    @Test func `an answer changes the state, and its work ends`() {
        bench.submit(.edited("t"))
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        #expect(bench.ledger.state.results == ["tea"])
        #expect(bench.ledger.consequences.isIdle)
    }

    @Test func `an answer is dropped that comes after a newer text was decided`() {
        bench.submit(.edited("t"))
        bench.keepsAtOnce = false
        bench.submit(.edited("ti"))
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        #expect(bench.ledger.headVersion == 2)
        bench.commit()
        #expect(bench.searches.waiting == ["ti"])
        #expect(bench.ledger.state.results.isEmpty)
        bench.searches.succeed("ti", with: ["time"])
        bench.receive()
        bench.commit()
        #expect(bench.ledger.state.results == ["time"])
    }

    @Test func `an answer counts where what was decided meanwhile still wants it`() {
        bench.submit(.edited("t"))
        bench.keepsAtOnce = false
        bench.submit(.set(Timestamp(milliseconds: 5_000)))
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        bench.commit()
        #expect(bench.ledger.state.results == ["tea"])
    }

    @Test func `work that an answer ends starts again though a refresh is committed with it`() {
        bench.submit(.edited("t"))
        bench.keepsAtOnce = false
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        bench.submit(.refreshed)
        #expect(bench.ledger.headVersion == 3)
        bench.commit()
        #expect(bench.searches.asked == ["t", "t"])
    }

    @Test func `work runs again when the entry of its answer could not be kept`() {
        bench.submit(.edited("t"))
        bench.keepsAtOnce = false
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        bench.ledger.revert(to: 1)
        bench.keepsAtOnce = true
        bench.receive()
        #expect(bench.searches.asked == ["t", "t"])
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        #expect(bench.ledger.state.results == ["tea"])
    }

    @Test func `work runs again when the entry could not be kept that made its answer late`() {
        bench.submit(.edited("t"))
        bench.keepsAtOnce = false
        bench.submit(.edited("ti"))
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        bench.ledger.revert(to: 1)
        bench.receive()
        #expect(bench.searches.asked == ["t", "t"])
    }

    @Test func `an alarm whose entry could not be kept comes again after a second`() {
        bench.submit(.set(Timestamp(milliseconds: 5_000)))
        bench.keepsAtOnce = false
        bench.clock.advance(by: .seconds(5))
        bench.receive()
        #expect(bench.ledger.headVersion == 2)
        bench.ledger.revert(to: 1)
        bench.ledger.submitCausedActions { _ in .later }
        bench.clock.advance(by: .seconds(1))
        bench.receive()
        #expect(bench.ledger.headVersion == 2)
        bench.commit()
        #expect(bench.ledger.state.rings == nil)
        #expect(bench.ledger.consequences.isIdle)
    }

    @Test func `an alarm that is set anew in the commit of the last one rings again`() {
        bench.submit(.set(Timestamp(milliseconds: 5_000)))
        bench.keepsAtOnce = false
        bench.clock.advance(by: .seconds(5))
        bench.receive()
        bench.submit(.set(Timestamp(milliseconds: 5_000)))
        bench.commit()
        #expect(bench.ledger.headVersion == 4)
        bench.commit()
        #expect(bench.ledger.state.rings == nil)
    }

    @Test func `a root settles once, after the last work that it has led to`() {
        bench.submit(.edited("t"))
        #expect(bench.settled.isEmpty)
        bench.searches.succeed("t", with: ["tea"])
        bench.receive()
        #expect(bench.settled == [1])
        bench.submit(.refreshed)
        bench.searches.fail("t", with: Problem("offline", "There is no net."))
        bench.receive()
        #expect(bench.settled == [1, 3])
    }

    @Test func `a root settles once where each answer starts the next work`() {
        let bench = ChainBench()
        bench.run()
        #expect(bench.store.state == 3)
        #expect(bench.settled == [1])
    }
}

/// Each answer of work counts, and wants the next work until three.
private final class ChainBench {
    enum Action: Sendable, Equatable { case began, ended(Answer<Done>) }

    let clock = ManualClock()
    let store: Store<Int, Action>
    private(set) var settled: [UInt64] = []
    private let deliveries: DeliveryList<Action>

    init() {
        let deliveries = DeliveryList<Action>()
        self.deliveries = deliveries
        store = Store(
            initial: 0, reducer: { (state, _, _) throws(Rejection) in state += 1 },
            environment: clock.environment(),
            work: { state in
                (1...2).contains(state) ? [Work("count", for: state, { _ in }) { .ended($0) }] : []
            },
            deliver: { deliveries.append($0) })
        store.onSettled = { [unowned self] in settled.append($0) }
    }

    func run() {
        store.dispatch(.began)
        clock.advance()
        while let delivery = deliveries.next() {
            store.receive(delivery)
            clock.advance()
        }
    }
}
