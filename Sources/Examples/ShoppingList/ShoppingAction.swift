import Statecast

/// All that can happen: what clients send, and what the server says.
enum ShoppingAction: ActionGroup {
    case list(ListAction)
    case search(SearchAction)
    case card(CardAction)
    case ordered
    /// The shop has taken the order under a number, or not.
    case answered(Answer<String>)
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
    case found(Answer<[String]>)
}

/// The changes of the member card, which belongs to the person who sends them.
enum CardAction: ActionGroup {
    case asked
    case scanned(Secret<String>)
    case putAway
    /// The card that the person has kept was read; absent where none was.
    case found(Answer<Secret<String>?>)
    case notKept(Problem)
}
