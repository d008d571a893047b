import Redux
import Testing

@Suite struct `An id of a step` {
    @Test(arguments: [false, true])
    func `is the token of the entry, and then has a number`(reacts: Bool) {
        let bench = StepBench(reacts: reacts)
        bench.submit(.made(ids: 1))
        bench.submit(.made(ids: 3))
        bench.submit(.silent)
        bench.submit(.made(ids: 2))
        #expect(
            bench.ids == [
                ["k3f9-1"], ["k3f9-2", "k3f9-2.2", "k3f9-2.3"], ["k3f9-4", "k3f9-4.2"],
            ])
    }

    @Test func `is that of its own action within a batch`() {
        let bench = StepBench()
        bench.submit(batch: [.made(ids: 2), .made(ids: 1), .made(ids: 2)])
        #expect(bench.ids == [["k3f9-1", "k3f9-1.2"], ["k3f9-2"], ["k3f9-3", "k3f9-3.2"]])
    }

    @Test(arguments: [false, true])
    func `is used by no action that is rejected`(reacts: Bool) {
        let bench = StepBench(reacts: reacts)
        bench.submit(.refused)
        bench.submit(.made(ids: 1))
        bench.submit(batch: [.made(ids: 1), .refused])
        bench.submit(.refused)
        bench.submit(.made(ids: 2))
        #expect(bench.ids == [["k3f9-1"], ["k3f9-2", "k3f9-2.2"]])
    }

    @Test func `and chance are the same where reactions have a batch made once more`() {
        let bench = StepBench(reacts: true)
        bench.keeping = .later
        bench.submit(
            batch: [.made(ids: 2, generators: 2), .made(ids: 1), .made(ids: 2, generators: 1)])
        let decided = bench.ledger.head
        bench.submit(.made(ids: 1))
        bench.wall = 99
        bench.ledger.commit(through: 3)
        #expect(bench.seen.map(\.new) == (1...3).map { Array(decided.prefix($0)) })
        #expect(bench.ledger.state == decided)
        bench.submit(.made(ids: 1))
        bench.ledger.commit(through: 5)
        let all = bench.ids.flatMap { $0 }
        #expect(all.count == 7)
        #expect(Set(all).count == 7)
    }

    @Test func `and chance are the same in the second run of a check`() {
        let bench = StepBench(checks: ReductionChecks(timeBudget: nil))
        var told: [StoreDiagnostic] = []
        bench.ledger.consequences.onDiagnostic = { told.append($0) }
        bench.submit(.made(ids: 2, generators: 2))
        bench.submit(.refused)
        bench.submit(.made(ids: 1))
        #expect(told.isEmpty && bench.draws.map(\.count) == [2, 0])
        #expect(bench.ids == [["k3f9-1", "k3f9-1.2"], ["k3f9-2"]])
    }

    @Test func `has another beginning in every store without a server`() {
        let beginnings = (0..<20).map { _ in
            let store = Store<[StepAction.Record], StepAction>(
                initial: [], reducer: StepAction.reducer,
                environment: Environment(now: { Timestamp(milliseconds: 0) }))
            store.dispatch(.made(ids: 1))
            return store.state.first?.ids.first ?? ""
        }
        #expect(Set(beginnings).count == 20)
        #expect(beginnings.allSatisfy { $0.hasSuffix("-1") })
    }
}
