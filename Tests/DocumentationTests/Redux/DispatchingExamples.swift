import Redux
import Testing

@testable import ShoppingList

@Suite struct `Dispatching` {
    @Test func `changes the state or says why not`() {
        let store = Store(
            initial: ShoppingState(),
            reducer: Reducer<ShoppingState, ShoppingAction> { (state, action) throws(Rejection) in
                try state.apply(action)
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))

        let added = store.dispatch(.list(.added(name: "Milk", id: "1")))
        #expect(added == .accepted(first: 1, last: 1, changed: true))
        #expect(store.state.items.map(\.name) == ["Milk"])

        let refused = store.dispatch(.list(.bought(id: "7")))
        #expect(refused == .rejected(.noSuchItem))
        #expect(store.version == 1)
    }

    @Test func `a batch is all or nothing`() {
        let store = makeStore()
        let outcome = store.dispatch(batch: [
            .list(.added(name: "Milk", id: "1")),
            .list(.bought(id: "7")),
        ])
        #expect(outcome == .rejected(index: 1, .noSuchItem))
        #expect(store.state.items.isEmpty)
    }

    @Test func `what is kept later is seen once it is committed`() {
        let ledger = Ledger(
            initial: ShoppingState(),
            reducer: Reducer<ShoppingState, ShoppingAction> { (state, action) throws(Rejection) in
                try state.apply(action)
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))

        let outcome = ledger.submit(.list(.added(name: "Milk", id: "1"))) { _ in .later }
        #expect(outcome == .accepted(first: 1, last: 1, changed: true))
        #expect(ledger.head.items.count == 1)
        #expect(ledger.state.items.isEmpty)

        ledger.commit(through: ledger.headVersion)
        #expect(ledger.state.items.count == 1)
    }

    @Test func `what an observer dispatches waits`() {
        let store = makeStore()
        var seen: [Int] = []
        let subscription = store.observe(\.openCount) { count in
            seen.append(count)
            if count == 1 {
                #expect(store.dispatch(.list(.added(name: "Bread", id: "2"))) == .queued)
            }
        }
        store.dispatch(.list(.added(name: "Milk", id: "1")))
        #expect(seen == [0, 1, 2])
        subscription.cancel()
    }
}

/// A store of the tutorial's list, without middleware.
func makeStore(
    _ state: ShoppingState = ShoppingState(),
    middleware: [Middleware<ShoppingState, ShoppingAction>] = []
) -> Store<ShoppingState, ShoppingAction> {
    Store(
        initial: state,
        reducer: Reducer { (state, action) throws(Rejection) in try state.apply(action) },
        middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }))
}
