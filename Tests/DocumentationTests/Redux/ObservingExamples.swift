import AsyncAlgorithms
import Redux
import Statecast
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `Observing` {
    @Test func `tells the present value and then each that differs`() {
        let store = makeStore(ShoppingState(items: [.init(id: "1", name: "Milk")]))
        var counts: [Int] = []
        let subscription = store.observe(\.openCount) { counts.append($0) }
        store.dispatch(.list(.added(name: "Bread")))
        store.dispatch(.search(.edited(text: "br")))
        store.dispatch(.list(.bought(id: "1")))
        #expect(counts == [1, 2, 1])
        subscription.cancel()
    }

    @Test func `a sequence begins with the present value`() async {
        let store = makeStore()
        var counts = store.values(of: \.openCount).makeAsyncIterator()
        #expect(await counts.next(isolation: #isolation) == 0)
        store.dispatch(.list(.added(name: "Milk")))
        #expect(await counts.next(isolation: #isolation) == 1)
    }

    @Test func `a slow reader misses values and never the newest`() async {
        let store = makeStore()
        var counts = store.values(of: \.openCount).makeAsyncIterator()
        for _ in 1...5 { store.dispatch(.list(.added(name: "Milk"))) }
        #expect(await counts.next(isolation: #isolation) == 5)
    }

    @Test func `operators make other sequences of it`() async {
        let store = makeStore()
        var isDone = store.values(of: \.openCount).map { $0 == 0 }.removeDuplicates()
            .makeAsyncIterator()
        #expect(await isDone.next() == true)
        store.dispatch(.list(.added(name: "Milk")))
        #expect(await isDone.next() == false)
    }

    @Test func `a part can leave and come back`() {
        let store = makeStore(ShoppingState(items: [.init(id: "1", name: "Milk")]))
        var seen: [ScopedState<String>] = []
        let subscription = store.observe({ state in
            ScopedState(state.items.first?.name)
        }) { seen.append($0) }
        store.dispatch(.list(.removed(id: "1")))
        store.dispatch(.list(.added(name: "Oat milk")))
        #expect(seen == [.inScope("Milk"), .outOfScope, .inScope("Oat milk")])
        subscription.cancel()
    }

    @Test func `a sequence of a part ends with it`() async {
        let store = makeStore(ShoppingState(items: [.init(id: "1", name: "Milk")]))
        let names = store.valuesInScope { state in
            state.items.first(id: "1")?.name
        }
        var iterator = names.makeAsyncIterator()
        #expect(await iterator.next(isolation: #isolation) == "Milk")
        store.dispatch(.list(.removed(id: "1")))
        #expect(await iterator.next(isolation: #isolation) == nil)
    }
}
