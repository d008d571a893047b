import StatecastTesting
import Testing

@testable import Redux

/// A state that is set by hand is an entry without an action.
@Suite struct LedgerReplacingTests {
    let bench = LedgerBench()

    private func replace(_ state: LedgerBench.State, _ keeping: Keeping = .kept) -> Outcome {
        defer { bench.clock.advance() }
        return bench.ledger.replaceState(
            with: state, by: Principal("eve"), at: Timestamp(milliseconds: 7)
        ) { staged in
            if staged.entries.last?.action == nil {
                #expect(
                    staged.told.count == 1 && staged.entries.count == 1 && !staged.told.isCaused)
                #expect(staged.entries.first?.entry.by?.id == "eve")
            }
            return keeping
        }
    }

    @Test func `starts and stops the work that the state wants`() {
        #expect(
            replace(.init(text: "t", isLoading: true))
                == .accepted(first: 1, last: 1, changed: true))
        #expect(bench.ledger.version == 1 && bench.searches.waiting == ["t"])
        _ = replace(.init(text: "u", isLoading: true))
        #expect(bench.searches.waiting == ["u"])
        #expect(
            replace(.init(text: "u")) == .accepted(first: 3, last: 3, changed: true))
        #expect(bench.searches.waiting.isEmpty && bench.ledger.consequences.isIdle)
        #expect(replace(.init(text: "u")) == .accepted(first: 4, last: 4, changed: true))
    }

    @Test func `waits for its journal like any other entry`() {
        bench.keepsAtOnce = false
        bench.submit(.edited("t"))
        _ = replace(.init(text: "x"), .later)
        bench.submit(.refreshed)
        #expect(bench.ledger.version == 0 && bench.ledger.headVersion == 3)
        #expect(bench.ledger.uncommitted.map(\.version) == [1, 3])
        bench.commit()
        #expect(bench.ledger.state == .init(text: "x", isLoading: true))
        #expect(bench.searches.waiting == ["x"])
    }

    @Test func `leaves nothing where its journal refuses it, or where it is lost`() {
        bench.submit(.edited("t"))
        #expect(replace(.init(text: "x"), .refused) == .refused)
        #expect(bench.ledger.state.text == "t" && bench.ledger.headVersion == 1)
        _ = replace(.init(text: "x"), .later)
        bench.ledger.revert(to: 1)
        #expect(bench.ledger.head.text == "t" && bench.ledger.headVersion == 1)
    }
}
