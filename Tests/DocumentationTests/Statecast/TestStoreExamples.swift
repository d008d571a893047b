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
        var state = ShoppingState()
        try state.apply(.list(.added(name: "Milk", id: "1")))
        #expect(state.openCount == 1)
        #expect(throws: Rejection.noSuchItem) { try state.apply(.list(.bought(id: "2"))) }
    }

    @Test func `gives what is added an id`() {
        let store = TestStore(application)
        store.receive(.cardFound(nil))
        store.send(.list(.added(name: "Milk", id: nil))) {
            $0.items = [.init(id: "id-1", name: "Milk")]
        }
        store.send(.list(.added(name: "", id: nil)), rejectedAs: "empty-name")
    }

    @Test func `searches once typing has paused`() {
        let store = TestStore(application)
        store.receive(.cardFound(nil))
        store.send(.search(.edited(text: "m"))) { $0.search.text = "m" }
        store.advance(by: .milliseconds(200))
        store.send(.search(.edited(text: "mi"))) { $0.search.text = "mi" }
        store.advance(by: .milliseconds(300))
        #expect(searches.asked == ["mi"])

        searches.succeed("mi", with: ["Milk"])
        store.receive(.found(text: "mi", products: ["Milk"])) {
            $0.search.products = ["Milk"]
        }
    }

    @Test func `tells of an order that fails`() {
        let store = TestStore(
            application, initial: ShoppingState(items: [.init(id: "1", name: "Milk")]))
        store.receive(.cardFound(nil))
        store.send(.ordered) { $0.order = .sending }
        store.send(.ordered, rejectedAs: "is-being-ordered")
        orders.fail(["Milk"], with: Closed())
        store.receive(.orderFailed(reason: "The shop took no order.")) {
            $0.order = .failed(reason: "The shop took no order.")
        }
    }

    @Test func `looks only at what it is about`() {
        let store = TestStore(application, exhaustivity: .nonExhaustive)
        store.send(.search(.edited(text: "mi")))
        store.run()
        searches.succeed("mi", with: ["Milk", "Mint"])
        store.receive(.found(text: "mi", products: ["Milk", "Mint"])) {
            $0.search.products = ["Milk", "Mint"]
        }
    }
}
