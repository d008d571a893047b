import Statecast

/// The actions that clients send.
enum ShoppingAction: ActionGroup, Codable, Equatable, Sendable {
    case list(ListAction)
    case search(SearchAction)
    case cardScanned(Secret<String>)
    case cardPutAway
    case ordered

    enum CodingKeys: CodingKey, CaseIterable {
        case list, search, cardScanned, cardPutAway, ordered
    }
}

/// The changes of the list.
enum ListAction: ActionGroup, Codable, Equatable, Sendable {
    /// The server gives the id, never a client.
    case added(name: String, id: String?)
    case bought(id: String)
    case removed(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case added, bought, removed }
}

/// The changes of the search.
enum SearchAction: ActionGroup, Codable, Equatable, Sendable {
    case edited(text: String)
    case cleared

    enum CodingKeys: CodingKey, CaseIterable { case edited, cleared }
}

/// The facts that only the application's own effects report.
enum ShoppingFact: ActionGroup, Codable, Equatable, Sendable {
    case found(text: String, products: [String])
    case orderTaken(number: String)
    case orderFailed(reason: String)
    /// The card that an earlier session has saved; nil where none was.
    case cardFound(Secret<String>?)
    case cardFailed(String)

    enum CodingKeys: CodingKey, CaseIterable {
        case found, orderTaken, orderFailed, cardFound, cardFailed
    }
}
