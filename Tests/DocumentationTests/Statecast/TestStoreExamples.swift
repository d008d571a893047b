import Redux
import StatecastTesting
import Testing

@testable import ShoppingList

private struct Closed: Error {}

@Suite struct `The shopping list on a test store` {
    private let searches = ManualAnswers<String, [String]>()
    private let orders = ManualAnswers<[String], String>()

    private var application: ShoppingApplication {
        let shop = Shop(
            products: { try await searches.answer(to: $0) },
            order: { names, _ in try await orders.answer(to: names) })
        return ShoppingApplication(shop: shop, cards: .inMemory())
    }

    @Test func `has a reducer that is a function of values`() throws {
        let step = Step(
            by: nil, at: Timestamp(milliseconds: 0), version: 1,
            session: try #require(SessionID("home")), epoch: "k3f9x2")
        var state = ShoppingState()
        try state.apply(.list(.added(name: "Milk")), step)
        #expect(state.items == [.init(id: "k3f9x2-1", name: "Milk")])
        #expect(throws: Rejection.self) { try state.apply(.list(.bought(id: "2")), step) }
    }

    @Test func `gives what is added an id`() {
        let store = TestStore(application)
        store.receive(.fact(.cardFound(nil)))
        store.send(.list(.added(name: "Milk"))) {
            $0.items = [.init(id: "id-1", name: "Milk")]
        }
        store.send(.list(.added(name: "")), rejectedAs: "empty-name", field: "name")
    }

    @Test func `searches once typing has paused`() {
        let store = TestStore(application)
        store.receive(.fact(.cardFound(nil)))
        store.send(.search(.edited(text: "m"))) { $0.search.text = "m" }
        store.advance(by: .milliseconds(200))
        store.send(.search(.edited(text: "mi"))) { $0.search.text = "mi" }
        store.advance(by: .milliseconds(300))
        #expect(searches.asked == ["mi"])

        searches.succeed("mi", with: ["Milk"])
        store.receive(.fact(.found(text: "mi", products: ["Milk"]))) {
            $0.search.products = ["Milk"]
        }
    }

    @Test func `tells of an order that fails`() {
        let store = TestStore(
            application, initial: ShoppingState(items: [.init(id: "1", name: "Milk")]))
        store.receive(.fact(.cardFound(nil)))
        store.send(.ordered) { $0.order = .sending }
        store.send(.ordered, rejectedAs: "is-being-ordered")
        orders.fail(["Milk"], with: Closed())
        store.receive(.fact(.orderFailed(reason: "The shop took no order."))) {
            $0.order = .failed(reason: "The shop took no order.")
        }
    }

    @Test func `looks only at what it is about`() {
        let store = TestStore(application, exhaustivity: .nonExhaustive)
        store.send(.search(.edited(text: "mi")))
        store.run()
        searches.succeed("mi", with: ["Milk", "Mint"])
        store.receive(.fact(.found(text: "mi", products: ["Milk", "Mint"]))) {
            $0.search.products = ["Milk", "Mint"]
        }
    }
}
