public import Redux

/// The list and its search, as all see them.
public struct ShoppingState: StateValue {
    /// One thing to buy.
    public struct Item: StateValue, Identifiable {
        public let id: String
        public var name: String
        public var isBought = false
    }

    /// The text in the search field, and the products whose names begin with it.
    public struct Search: StateValue {
        public var text = ""
        public var products = Loadable<[String]>.idle
    }

    /// The stage of the order.
    public enum Order: StateValue {
        case open
        case sending(names: [String])
        case taken(number: String)
        case failed(problem: Problem)
    }

    /// The person whose member card the household orders with.
    public struct Member: StateValue {
        public let id: String
        public var card: Loadable<Secret<String>>
        /// False from a change of the card until that is kept for the next time.
        public var isKept = false
    }

    public var items: [Item] = []
    public var search = Search()
    public var order = Order.open
    public var member: Member?

    /// Nothing to buy.
    public static let empty = ShoppingState()

    /// The number of things that are still to buy.
    var openCount: Int { items.count { !$0.isBought } }
}

extension ShoppingState.Member {
    /// A state that was written and read again holds no secret: it has to be read.
    public var isCardMissing: Bool {
        card.isLoading || card.value?.value == Secret<String>.redacted
    }
}
