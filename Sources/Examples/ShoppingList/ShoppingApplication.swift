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

    func work(in state: ShoppingState) -> [Work<ShoppingAction>] {
        if state.search.products.isLoading {
            Work(
                "search", for: state.search.text,
                policy: .debounced(.milliseconds(300)).retrying(2), shop.products
            ) { .search(.found($0)) }
        }
        if let member = state.member { work(for: member) }
        if let order = order(in: state) {
            Work("order", for: order) { [shop] order, context in
                try await shop.order(order.names, order.card?.value, context.key)
            } then: {
                .answered($0)
            }
        }
    }

    var views: Views<ShoppingState> {
        Views(
            state: .all,
            View("to-buy") { state in state.items.filter { !$0.isBought }.map(\.name) },
            View("item", by: { $1.arguments["id"] }) { state, id in state.items.first(id: id) })
    }
}

extension ShoppingApplication {
    /// All that the shop is told of an order.
    private struct Order: Equatable {
        let names: [String]
        let card: Secret<String>?
    }

    /// The order that the shop has to be sent, once the member card is here.
    private func order(in state: ShoppingState) -> Order? {
        guard case .sending(let names) = state.order, state.member?.isCardMissing != true else {
            return nil
        }
        return Order(names: names, card: state.member?.card.value)
    }
}
