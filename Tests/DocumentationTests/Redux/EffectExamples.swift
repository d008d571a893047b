import Redux
import Testing

@testable import ShoppingList

/// A store on an actor, whose effects come back to it.
actor ListOwner {
    private let store: Store<ShoppingState, ShoppingAction>
    private let reports: AsyncStream<StoreDelivery<ShoppingAction>>

    init(middleware: [Middleware<ShoppingState, ShoppingAction>]) {
        let (reports, continuation) = AsyncStream.makeStream(
            of: StoreDelivery<ShoppingAction>.self)
        self.reports = reports
        store = Store(
            initial: ShoppingState(),
            reducer: { (state, action, step) throws(Rejection) in try state.apply(action, step) },
            middleware: middleware, environment: Environment(now: { Timestamp(milliseconds: 0) }),
            deliver: { continuation.yield($0) })
    }

    /// Takes what effects report until the task is cancelled.
    func run() async {
        for await report in reports { store.receive(report) }
    }

    func dispatch(_ action: ShoppingAction) -> Outcome { store.dispatch(action) }

    func orders() -> AsyncStream<ShoppingState.Order> { store.values(of: \.order) }

    func products() -> AsyncStream<[String]> { store.values(of: \.search.products) }

    var running: [String] { store.runningEffects.map(\.name) }

    func close() { store.cancelAllEffects() }
}

private func searching(_ shop: Shop) -> Middleware<ShoppingState, ShoppingAction> {
    Middleware(
        "search",
        react: { step in
            guard case .search(.edited(let text)) = step.action else { return [] }
            return [
                .run(
                    "search", policy: .latest.debounced(.milliseconds(20)),
                    while: { $0.search.text == text }
                ) { context in
                    let products = try await shop.products(text)
                    context.send(.fact(.found(text: text, products: products)))
                }
            ]
        })
}

private func ordering(_ shop: Shop) -> Middleware<ShoppingState, ShoppingAction> {
    Middleware(
        "order",
        react: { step in
            guard case .ordered = step.action else { return [] }
            let names = step.new.items.filter { !$0.isBought }.map(\.name)
            return [
                .run("order", policy: .keepRunning) { context in
                    let number = try await shop.order(names, nil)
                    context.send(.fact(.orderTaken(number: number)))
                } catch: { _, context in
                    context.send(.fact(.orderFailed(reason: "The shop took no order.")))
                }
            ]
        })
}

private struct Closed: Error {}

@Suite struct `Effects of a store` {
    @Test func `of an earlier text never win`() async {
        let owner = ListOwner(middleware: [searching(.corner)])
        let running = Task { await owner.run() }
        _ = await owner.dispatch(.search(.edited(text: "m")))
        _ = await owner.dispatch(.search(.edited(text: "mi")))
        for await products in await owner.products() where !products.isEmpty {
            #expect(products == ["Milk", "Mint"])
            break
        }
        running.cancel()
    }

    @Test func `that fail say so in the state`() async {
        var shop = Shop.corner
        shop.order = { _, _ in throw Closed() }
        let owner = ListOwner(middleware: [ordering(shop)])
        let running = Task { await owner.run() }
        _ = await owner.dispatch(.list(.added(name: "Milk")))
        _ = await owner.dispatch(.ordered)
        for await order in await owner.orders() where order != .sending {
            #expect(order == .failed(reason: "The shop took no order."))
            break
        }
        running.cancel()
    }

    @Test func `are cancelled with their scope`() async {
        let owner = ListOwner(middleware: [searching(.corner)])
        _ = await owner.dispatch(.search(.edited(text: "mi")))
        #expect(await owner.running == ["search"])
        _ = await owner.dispatch(.search(.cleared))
        #expect(await owner.running.isEmpty)
    }

    @Test func `are cancelled with the store's owner`() async {
        let owner = ListOwner(middleware: [searching(.corner)])
        _ = await owner.dispatch(.search(.edited(text: "mi")))
        await owner.close()
        #expect(await owner.running.isEmpty)
    }
}

@Suite struct `Policies` {
    @Test func `are written from left to right`() {
        let search = EffectPolicy.latest.debounced(.milliseconds(300)).timingOut(after: .seconds(5))
        let save = EffectPolicy.queue.retrying(3, backoff: .seconds(1))
        let refresh = EffectPolicy.keepRunning.throttled(.seconds(60))

        #expect(search.overlap == .latest)
        #expect(search.timeout == .seconds(5))
        #expect(save.retries == 3)
        #expect(refresh.throttle == .seconds(60))
    }
}
