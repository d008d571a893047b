import Redux
import Testing

@testable import ShoppingList

@Suite struct `A checked reducer` {
    @Test func `that guesses is told of`() {
        let guessing = Reducer<ShoppingState, ShoppingAction> { (state, action) throws(Rejection) in
            guard case .list(.added(let name, _)) = action else { return }
            let id = UInt64.random(in: .min ... .max)
            state.items.append(.init(id: "\(id)", name: name))
        }
        let store = Store(
            initial: ShoppingState(), reducer: guessing,
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        var told: [StoreDiagnostic] = []
        store.checks = ReductionChecks(timeBudget: .milliseconds(10), sizeBudget: 1 << 20)
        store.onDiagnostic = { told.append($0) }

        store.dispatch(.list(.added(name: "Milk", id: nil)))
        guard case .impureReduction(let version, _, let differences) = told.first else {
            Issue.record("nothing was told")
            return
        }
        #expect(version == 1)
        #expect(differences.first?.hasPrefix("items[0].id: ") == true)
    }

    @Test func `of the tutorial is pure`() {
        let store = makeStore()
        var told: [StoreDiagnostic] = []
        store.checks = ReductionChecks(timeBudget: nil)
        store.onDiagnostic = { told.append($0) }
        store.dispatch(.list(.added(name: "Milk", id: "1")))
        store.dispatch(.ordered)
        store.dispatch(.ordered)
        #expect(told.isEmpty)
    }
}
