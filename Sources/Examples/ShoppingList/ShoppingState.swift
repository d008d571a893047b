import Statecast

/// What everybody who shares the list sees.
struct ShoppingState: Codable, Equatable, Sendable {
    /// One thing to buy.
    struct Item: Codable, Equatable, Sendable, Identifiable {
        let id: String
        var name: String
        var isBought = false
    }

    /// What somebody types, and the products whose names begin with it.
    struct Search: Codable, Equatable, Sendable {
        var text = ""
        var products: [String] = []
    }

    /// What has become of the order.
    enum Order: Codable, Equatable, Sendable {
        case open
        case sending
        case taken(number: String)
        case failed(reason: String)
    }

    var items: [Item] = []
    var search = Search()
    var order = Order.open
    var memberCard: Secret<String>?
    /// What could not be done with the saved card: `load`, `save` or `delete`.
    var cardProblem: String?

    /// How many things are still to buy.
    var openCount: Int { items.count { !$0.isBought } }
}
