/// A session as the server describes it to the one who asks.
package struct SessionDescription: Decodable, Sendable {
    package struct You: Decodable, Sendable {
        package let id: String?
        package let roles: Set<String>
    }

    package let id: String
    package let token: String
    package let you: You
    package private(set) var sees: Sight
    package private(set) var schema: Int
    package let unpredicted: [String]?

    /// Takes over what a snapshot says, which is newer.
    mutating func take(_ document: ClientDocument) {
        sees = document.sees.flatMap { Sight(rawValue: $0) } ?? sees
        schema = document.schema ?? schema
    }
}

/// What a server shows a client as the state.
public enum Sight: String, Sendable, Hashable, Codable {
    /// The state as it is.
    case state
    /// A view that stands for it: a reducer of the state may need what it hides.
    case view
}
