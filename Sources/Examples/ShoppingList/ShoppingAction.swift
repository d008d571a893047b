import Statecast

/// All that can happen: what clients send, and what the server says.
enum ShoppingAction: ActionGroup {
    case list(ListAction)
    case search(SearchAction)
    case cardScanned(Secret<String>)
    case cardPutAway
    case ordered
    case fact(ShoppingFact)
}

/// The changes of the list.
enum ListAction: ActionGroup {
    case added(name: String)
    case bought(id: String)
    case removed(id: String)
}

/// The changes of the search.
enum SearchAction: ActionGroup {
    case edited(text: String)
    case cleared
}

/// The facts that only the application's own effects report.
enum ShoppingFact: FactGroup {
    case found(text: String, products: [String])
    case orderTaken(number: String)
    case orderFailed(reason: String)
    /// The card that an earlier session has saved; nil where none was.
    case cardFound(Secret<String>?)
    case cardFailed(String)
}
