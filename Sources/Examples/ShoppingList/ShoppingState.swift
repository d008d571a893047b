import Statecast

/// The list and its search, as everybody who shares them sees them.
struct ShoppingState: StateValue {
    /// One thing to buy.
    struct Item: StateValue, Identifiable {
        let id: String
        var name: String
        var isBought = false
    }

    /// The text in the search field, and the products whose names begin with it.
    struct Search: StateValue {
        var text = ""
        var products: [String] = []
    }

    /// The stage of the order.
    enum Order: StateValue {
        case open
        case sending
        case taken(number: String)
        case failed(reason: String)
    }

    var items: [Item] = []
    var search = Search()
    var order = Order.open
    var memberCard: Secret<String>?
    /// The operation that failed on the saved card: `load`, `save` or `delete`.
    var cardProblem: String?

    /// The number of things that are still to buy.
    var openCount: Int { items.count { !$0.isBought } }
}
