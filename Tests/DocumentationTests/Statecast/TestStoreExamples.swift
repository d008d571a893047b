@testable import Statecast
import Redux
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

private struct Closed: Error {}

@Suite struct `The shopping list on a test store` {
    private let searches = ManualAnswers<String, [String]>()
    private let orders = ManualAnswers<[String], String>()

    private var application: ShoppingApplication {
        let shop = Shop(
            products: { try await searches.answer(to: $0) },
            order: { names, _, _ in try await orders.answer(to: names) })
        return ShoppingApplication(shop: shop, cards: .init())
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
        store.send(.list(.added(name: "Milk"))) {
            $0.items = [.init(id: "id-1", name: "Milk")]
        }
        store.send(.list(.added(name: "")), rejectedAs: "empty-name", field: "name")
        store.restart()
    }

    @Test func `searches once typing has paused`() {
        let store = TestStore(application)
        store.send(.search(.edited(text: "m"))) {
            $0.search = .init(text: "m", products: .loading(nil))
        }
        store.advance(by: .milliseconds(200))
        store.send(.search(.edited(text: "mi"))) { $0.search.text = "mi" }
        store.advance(by: .milliseconds(300))
        #expect(searches.asked == ["mi"])

        searches.succeed("mi", with: ["Milk"])
        store.receive(.search(.found(.value(["Milk"])))) {
            $0.search.products = .loaded(["Milk"])
        }
        store.restart()
    }

    @Test func `tells of an order that fails`() {
        let store = TestStore(
            application, initial: ShoppingState(items: [.init(id: "1", name: "Milk")]))
        store.send(.ordered) { $0.order = .sending(names: ["Milk"]) }
        store.send(.ordered, rejectedAs: "is-being-ordered")
        orders.fail(["Milk"], with: Closed())
        store.receive(.answered(.problem(.failed))) { $0.order = .failed(problem: .failed) }
        store.restart()
    }

    @Test func `sends an order again after a restart`() {
        let store = TestStore(
            application, initial: ShoppingState(items: [.init(id: "1", name: "Milk")]))
        store.send(.ordered) { $0.order = .sending(names: ["Milk"]) }
        store.restart()
        #expect(orders.waiting == [["Milk"]])
        orders.succeed(["Milk"], with: "7")
        store.receive(.answered(.value("7"))) { $0.order = .taken(number: "7") }
    }

    @Test func `reads a card again where the state has come without it`() async throws {
        let cards = People<Secret<String>>()
        try await cards.keep(Secret("4711-0815"), of: "ada")
        let member = ShoppingState.Member(
            id: "ada", card: .loaded(Secret(Secret<String>.redacted)))
        let store = TestStore(
            ShoppingApplication(shop: .corner, cards: cards),
            initial: ShoppingState(member: member), as: Principal("ada"))
        store.receive(.card(.found(.value(Secret("4711-0815"))))) {
            $0.member = .init(id: "ada", card: .loaded(Secret("4711-0815")), isKept: true)
        }
        store.send(.card(.putAway)) { $0.member = .init(id: "ada", card: .idle) }
        store.receive(.card(.kept(.value(Done())))) { $0.member?.isKept = true }
        store.restart()
        store.finish()
        #expect(cards["ada"] == nil)
    }

    @Test func `says so where a card could not be kept`() async throws {
        let cards = People<Secret<String>>(limit: 1)
        // Whoever has signed in keeps their place.
        let bob = People<Secret<String>>.Person("bob")
        try await cards.commit(.signedIn(person: bob, number: "1", secret: Secret("s"), maker: 0))
        let store = TestStore(
            ShoppingApplication(shop: .corner, cards: cards), as: Principal("ada"))
        store.send(.card(.scanned(Secret("4711-0815")))) {
            $0.member = .init(id: "ada", card: .loaded(Secret("4711-0815")))
        }
        store.run()
        store.receive(.card(.kept(.problem(.failed)))) {
            $0.member?.card = .failed(.failed, Secret("4711-0815"))
        }
        store.restart()
        store.receive(.card(.found(.value(nil)))) {
            $0.member = .init(id: "ada", card: .idle, isKept: true)
        }
    }

    @Test func `looks only at what it is about`() {
        let store = TestStore(application, exhaustivity: .nonExhaustive)
        store.send(.search(.edited(text: "mi")))
        store.advance(by: .milliseconds(300))
        searches.succeed("mi", with: ["Milk", "Mint"])
        store.receive(.search(.found(.value(["Milk", "Mint"])))) {
            $0.search.products = .loaded(["Milk", "Mint"])
        }
        store.restart()
    }
}
