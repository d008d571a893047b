package import Redux

/// The list and its search, as all see them.
package struct ShoppingState: StateValue {
    /// One thing to buy.
    package struct Item: StateValue, Identifiable {
        package let id: String
        package var name: String
        package var isBought = false
    }

    /// The text in the search field, and the products whose names begin with it.
    package struct Search: StateValue {
        package var text = ""
        package var products = Loadable<[String]>.idle
    }

    /// The stage of the order.
    package enum Order: StateValue {
        case open
        case sending(names: [String])
        case taken(number: String)
        case failed(problem: Problem)
    }

    /// The person whose member card the household orders with.
    package struct Member: StateValue {
        package let id: String
        package var card: Loadable<Secret<String>>
        /// False from a change of the card until that is kept for the next time.
        package var isKept = false
    }

    package var items: [Item] = []
    package var search = Search()
    package var order = Order.open
    package var member: Member?

    /// Nothing to buy.
    package static let empty = ShoppingState()

    /// The number of things that are still to buy.
    var openCount: Int { items.count { !$0.isBought } }
}

extension ShoppingState.Member {
    /// A state that was written and read again holds no secret: it has to be read.
    package var isCardMissing: Bool {
        card.isLoading || card.value?.value == Secret<String>.redacted
    }
}
