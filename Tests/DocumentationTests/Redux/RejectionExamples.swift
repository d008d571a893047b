import Redux
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

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

    @Test func `what is not there any more has a code of the library`() {
        let store = makeStore()
        guard case .rejected(let rejection) = store.dispatch(.list(.bought(id: "7"))) else {
            Issue.record("there is nothing to buy")
            return
        }
        #expect(rejection.code == "out-of-scope")
        #expect(rejection.kind == .conflict)
    }

    @Test func `keeps a number from outside from ending the process`() throws {
        var count = Int.max - 1
        try count.add(1, field: "by")
        #expect(throws: Rejection("out-of-range", "No integer holds the result.", field: "by")) {
            try count.add(1, field: "by")
        }
        #expect(count == .max)
    }

    @Test func `names everything that is wrong at once`() throws {
        let store = Store<[String: Int], Offer>(
            initial: [:],
            reducer: { (prices, offer, _) throws(Rejection) in
                try Rejection.check(
                    offer.name.isEmpty ? Rejection("empty", "Say a name.", field: "name") : nil,
                    offer.price < 0 ? Rejection("negative", "Be fair.", field: "price") : nil)
                prices[offer.name] = offer.price
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))

        guard case .rejected(let rejection) = store.dispatch(Offer(name: "", price: -1)) else {
            Issue.record("two faults were passed over")
            return
        }
        #expect(rejection.code == "empty")
        #expect(rejection.faults.map(\.code) == ["empty", "negative"])
        #expect(rejection.faults.map(\.field) == ["name", "price"])
    }

    @Test func `by a middleware keeps an action from the reducer`() {
        let closed = Middleware<ShoppingState, ShoppingAction>("closed") { action, state, _ in
            guard case .list(.added) = action, state.items.count >= 2 else { return .pass }
            return .reject(Rejection("list-full", "It holds two things.", kind: .conflict))
        }
        let store = makeStore(middleware: [closed])
        store.dispatch(.list(.added(name: "Milk")))
        store.dispatch(.list(.added(name: "Bread")))
        let third = store.dispatch(.list(.added(name: "Salt")))
        let full = Rejection("list-full", "It holds two things.", kind: .conflict)
        #expect(third == .rejected(full))
    }
}

private struct Offer: StateValue {
    var name: String
    var price: Int
}
