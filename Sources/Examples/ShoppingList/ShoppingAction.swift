import Statecast

/// What clients may send.
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

/// What happens to the list.
enum ListAction: ActionGroup, Codable, Equatable, Sendable {
    /// The id is given by the server, never by a client.
    case added(name: String, id: String?)
    case bought(id: String)
    case removed(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case added, bought, removed }
}

/// What happens to the search.
enum SearchAction: ActionGroup, Codable, Equatable, Sendable {
    case edited(text: String)
    case cleared

    enum CodingKeys: CodingKey, CaseIterable { case edited, cleared }
}

/// What only the application's own effects report.
enum ShoppingFact: ActionGroup, Codable, Equatable, Sendable {
    case found(text: String, products: [String])
    case orderTaken(number: String)
    case orderFailed(reason: String)
    /// What was kept from an earlier session; nil where nothing was.
    case cardFound(Secret<String>?)
    case cardFailed(String)

    enum CodingKeys: CodingKey, CaseIterable {
        case found, orderTaken, orderFailed, cardFound, cardFailed
    }
}
