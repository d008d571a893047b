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
        var products = Loadable<[String]>.idle
    }

    /// The stage of the order.
    enum Order: StateValue {
        case open
        case sending(names: [String])
        case taken(number: String)
        case failed(problem: Problem)
    }

    /// The person whose member card the household orders with.
    struct Member: StateValue {
        let id: String
        var card: Loadable<Secret<String>>
    }

    var items: [Item] = []
    var search = Search()
    var order = Order.open
    var member: Member?

    /// The number of things that are still to buy.
    var openCount: Int { items.count { !$0.isBought } }
}

extension ShoppingState.Order {
    /// The shop has not answered yet.
    var isSending: Bool {
        if case .sending = self { true } else { false }
    }
}

extension ShoppingState.Member {
    /// The card has to be read: a state that was written and read again holds no secret.
    var isCardMissing: Bool {
        card.isLoading || card.value?.value == Secret<String>.redacted
    }
}
