import Statecast
import Redux
import Synchronization
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// A store on an actor, whose work and effects come back to it.
actor ListOwner {
    private let store: Store<ShoppingState, ShoppingAction>
    private let reports: AsyncStream<StoreDelivery<ShoppingAction>>

    init(
        _ application: ShoppingApplication,
        middleware: [Middleware<ShoppingState, ShoppingAction>] = []
    ) {
        let (reports, continuation) = AsyncStream.makeStream(
            of: StoreDelivery<ShoppingAction>.self)
        self.reports = reports
        store = Store(
            initial: application.initialState,
            reducer: { (state, action, step) throws(Rejection) in try state.apply(action, step) },
            middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }),
            work: { application.work(in: $0) }, deliver: { continuation.yield($0) })
    }

    /// Takes what work and effects report until the task is cancelled.
    func run() async {
        for await report in reports { store.receive(report) }
    }

    func dispatch(_ action: ShoppingAction) -> Outcome {
        store.dispatch(action, as: Principal("ada"))
    }

    func orders() -> AsyncStream<ShoppingState.Order> { store.values(of: \.order) }

    func products() -> AsyncStream<[String]> {
        store.values(of: { $0.search.products.value ?? [] })
    }

    var running: [String] { store.runningWork.map(\.name) + store.runningEffects.map(\.name) }

    func close() { store.cancelAllEffects() }
}

private struct Closed: Error {}

private func list(_ shop: Shop = .corner) -> ShoppingApplication {
    ShoppingApplication(shop: shop, cards: .init())
}

@Suite struct `Work of a store` {
    @Test func `for an earlier text never wins`() async {
        let owner = ListOwner(list())
        let running = Task { await owner.run() }
        _ = await owner.dispatch(.search(.edited(text: "m")))
        _ = await owner.dispatch(.search(.edited(text: "mi")))
        for await products in await owner.products() where !products.isEmpty {
            #expect(products == ["Milk", "Mint"])
            break
        }
        running.cancel()
    }

    @Test func `that fails says so in the state`() async {
        var shop = Shop.corner
        shop.order = { _, _, _ in throw Closed() }
        let owner = ListOwner(list(shop))
        let running = Task { await owner.run() }
        _ = await owner.dispatch(.list(.added(name: "Milk")))
        _ = await owner.dispatch(.ordered)
        for await order in await owner.orders() where order != .sending(names: ["Milk"]) {
            #expect(order == .failed(problem: .failed))
            break
        }
        running.cancel()
    }

    @Test func `ends when the state wants it no longer`() async {
        let owner = ListOwner(list())
        _ = await owner.dispatch(.search(.edited(text: "mi")))
        #expect(await owner.running == ["search"])
        _ = await owner.dispatch(.search(.cleared))
        #expect(await owner.running.isEmpty)
    }

    @Test func `is cancelled with the store's owner`() async {
        let owner = ListOwner(list())
        _ = await owner.dispatch(.search(.edited(text: "mi")))
        await owner.close()
        #expect(await owner.running.isEmpty)
    }
}

@Suite struct `Effects of a store` {
    @Test func `happen once, after the step`() async {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let audit = Middleware<ShoppingState, ShoppingAction>(
            "audit",
            effectsAfter: { step in
                guard case .ordered = step.action else { return [] }
                let buyer = step.by.map { $0.id ?? "a guest" } ?? "the server"
                let count = step.new.openCount
                return [.run { _ in line.yield("\(buyer) has ordered \(count)") }]
            })
        let owner = ListOwner(list(), middleware: [audit])
        let running = Task { await owner.run() }
        _ = await owner.dispatch(.list(.added(name: "Milk")))
        _ = await owner.dispatch(.ordered)
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next() == "ada has ordered 1")
        running.cancel()
    }

    @Test func `of one name overlap as is said`() async {
        let saving = Middleware<ShoppingState, ShoppingAction>(
            "backup",
            effectsAfter: { step in
                guard step.changed else { return [] }
                return [
                    .run("backup", overlap: .latest) { context in
                        try await context.sleep(for: .seconds(60))
                    }
                ]
            })
        let owner = ListOwner(list(), middleware: [saving])
        _ = await owner.dispatch(.list(.added(name: "Milk")))
        _ = await owner.dispatch(.list(.added(name: "Bread")))
        #expect(await owner.running == ["backup"])
        await owner.close()
    }
}
