import ClientWire
import Redux

/// A session as the server describes it to the one who asks.
struct SessionDescription: Decodable, Sendable {
    struct You: Decodable, Sendable {
        let id: String?
        let roles: Set<String>
    }

    let id: String
    let you: You
    private(set) var sees: Sight
    private(set) var schema: Int
    let unpredicted: [String]?

    /// Takes over what a snapshot says, which is newer.
    mutating func take(_ document: ClientDocument) {
        sees = document.sees.flatMap { Sight(rawValue: $0) } ?? sees
        schema = document.schema ?? schema
    }

    func foresight<M: Model>() -> Prediction<M>.Foresight? {
        SessionID(id).map {
            // The roles of a stranger are not those of its principal.
            Prediction.Foresight(
                you: you.id.map { Principal($0, roles: you.roles) } ?? .anonymous, session: $0,
                unpredicted: unpredicted ?? [])
        }
    }
}
