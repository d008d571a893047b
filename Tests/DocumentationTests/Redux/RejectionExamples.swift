import Redux
import Testing

@testable import ShoppingList

@Suite struct `Rejecting` {
    @Test func `is an answer with a code, a sentence and a kind`() {
        let store = makeStore()
        guard case .rejected(let rejection) = store.dispatch(.ordered) else {
            Issue.record("there is nothing to order")
            return
        }
        #expect(rejection.code == "nothing-to-order")
        #expect(rejection.message == "All of it is bought.")
        #expect(rejection.kind == .conflict)
    }

    @Test func `by a middleware keeps an action from the reducer`() {
        let closed = Middleware<ShoppingState, ShoppingAction>("closed") { action, state, _ in
            guard case .list(.added) = action, state.items.count >= 2 else { return .pass }
            return .reject(Rejection(code: "list-full", message: "It holds two things."))
        }
        let store = makeStore(middleware: [closed])
        store.dispatch(.list(.added(name: "Milk", id: "1")))
        store.dispatch(.list(.added(name: "Bread", id: "2")))
        let third = store.dispatch(.list(.added(name: "Salt", id: "3")))
        #expect(
            third == .rejected(Rejection(code: "list-full", message: "It holds two things.")))
    }
}
