import ShoppingListModel
import Statecast

/// A shopping list that a household shares.
struct ShoppingApplication: Application {
    let initialState = ShoppingState.empty
    let shop: Shop
    let cards: People<Secret<String>>

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
        if case .sending(let names) = state.order, state.member?.isCardMissing != true {
            let order = Order(names: names, card: state.member?.card.value)
            Work("order", for: order) { order, context in
                try await shop.order(order.names, order.card?.value, context.key)
            } then: {
                .answered($0)
            }
        }
    }

    /// All that the shop is told.
    private struct Order: Equatable { let names: [String], card: Secret<String>? }

    var views: Views<ShoppingState> {
        Views(
            state: .all,
            View("to-buy") { $0.items.filter { !$0.isBought }.map(\.name) },
            View("item", by: { $1.arguments["id"] }) { $0.items.first(id: $1) })
    }

    let rejectionCodes = [
        "empty-name", "is-being-ordered", "list-full", "not-signed-in", "not-your-card",
        "nothing-to-order", "out-of-scope", "text-too-long",
    ]
}
