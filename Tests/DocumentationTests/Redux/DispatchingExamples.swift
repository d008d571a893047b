import Redux
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `Dispatching` {
    @Test func `changes the state or says why not`() {
        let store = Store<ShoppingState, ShoppingAction>(
            initial: ShoppingState(),
            reducer: { (state, action, step) throws(Rejection) in try state.apply(action, step) },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))

        let added = store.dispatch(.list(.added(name: "Milk")))
        #expect(added == .accepted(first: 1, last: 1, changed: true))
        #expect(store.state.items.map(\.name) == ["Milk"])

        let refused = store.dispatch(.list(.added(name: "")))
        #expect(refused == .rejected(.emptyName))
        #expect(store.version == 1)
    }

    @Test func `a batch is all or nothing`() {
        let store = makeStore()
        let outcome = store.dispatch(batch: [
            .list(.added(name: "Milk")),
            .list(.added(name: "")),
        ])
        #expect(outcome == .rejected(index: 1, .emptyName))
        #expect(store.state.items.isEmpty)
    }

    @Test func `is for somebody, whom the reducer is told`() {
        let board = Store<[String], String>(
            initial: [],
            reducer: { (notes, text, step) throws(Rejection) in
                notes.append("\(try step.signedIn().id): \(text)")
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))

        board.dispatch("Ring twice.", as: Principal("ada"))
        #expect(board.state == ["ada: Ring twice."])
        guard case .rejected(let rejection) = board.dispatch("Hello!", as: .anonymous) else {
            Issue.record("a stranger has written on the board")
            return
        }
        #expect(rejection.code == "not-signed-in")
    }

    @Test func `what an observer dispatches waits`() {
        let store = makeStore()
        var seen: [Int] = []
        let subscription = store.observe(\.openCount) { count in
            seen.append(count)
            if count == 1 {
                #expect(store.dispatch(.list(.added(name: "Bread"))) == .queued)
            }
        }
        store.dispatch(.list(.added(name: "Milk")))
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
        reducer: { (state, action, step) throws(Rejection) in try state.apply(action, step) },
        middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }))
}
