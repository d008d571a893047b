public import Redux

/// All that can happen: what clients send, and what the server says.
public enum ShoppingAction: ActionGroup {
    case list(ListAction)
    case search(SearchAction)
    case card(CardAction)
    case ordered
    /// The shop has taken the order under a number, or not.
    case answered(Answer<String>)
}

/// The changes of the list.
public enum ListAction: ActionGroup {
    case added(name: String), bought(id: String), removed(id: String)
}

/// The changes of the search.
public enum SearchAction: ActionGroup {
    case edited(text: String)
    case cleared
    case found(Answer<[String]>)
}

/// The changes of the sender's card.
public enum CardAction: ActionGroup {
    case asked
    case scanned(Secret<String>)
    case putAway
    /// The card that the person has kept; absent where none was.
    case found(Answer<Secret<String>?>)
    /// The card is kept for the next time, or not.
    case kept(Answer<Done>)
}
