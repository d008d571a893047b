import Statecast

/// A shopping list that a household shares: everybody sees the same session.
struct ShoppingApplication: Application {
    typealias State = ShoppingState
    typealias Action = ShoppingAction

    let initialState = ShoppingState()
    let shop: Shop
    let cards: SavedValues<Secret<String>>

    func reduce(
        _ state: inout ShoppingState, _ action: ShoppingAction, _ step: Step
    ) throws(Rejection) {
        try state.apply(action, step)
    }

    var views: Views<ShoppingState> {
        Views(
            state: .all,
            View("to-buy") { state in state.items.filter { !$0.isBought }.map(\.name) },
            View("item", by: { $1.arguments["id"] }) { state, id in
                state.items.first { $0.id == id }
            })
    }

    func work(in state: ShoppingState) -> [Work<ShoppingAction>] {}
}

extension ShoppingApplication {
    /// Keeps the member card.
    func middleware(for session: SessionID) -> [Middleware<ShoppingState, ShoppingAction>] {
        [memberCard(of: session).middleware]
    }

    /// Searches and orders in the shop, after the actions that ask for it.
    func effects(
        after transition: Transition<ShoppingState, ShoppingAction>, in session: SessionID
    ) -> [Effect<ShoppingState, ShoppingAction>] {
        switch transition.action {
        case .search(.edited(let text)): [search(text)]
        case .ordered: [order(transition.new)]
        default: []
        }
    }

    private func search(_ text: String) -> Effect<ShoppingState, ShoppingAction> {
        .run(
            "search", policy: .latest.debounced(.milliseconds(300)).retrying(2),
            while: { $0.search.text == text && !text.isEmpty }
        ) { context in
            let products = try await shop.products(text)
            context.send(.fact(.found(text: text, products: products)))
        }
    }

    private func order(_ state: ShoppingState) -> Effect<ShoppingState, ShoppingAction> {
        let names = state.items.filter { !$0.isBought }.map(\.name)
        let card = state.memberCard?.value
        return .run("order", policy: .keepRunning) { context in
            let number = try await shop.order(names, card)
            context.send(.fact(.orderTaken(number: number)))
        } catch: { _, context in
            context.send(.fact(.orderFailed(reason: "The shop took no order.")))
        }
    }
}
