/// A value that a state or an action consists of: it is encoded, compared and sent between threads.
public typealias StateValue = Codable & Equatable & Sendable

/// Marks an enum whose cases are a level of action type paths: `home/searchEdited` is the case
/// `searchEdited` of the group inside the case `home`.
///
/// A group stands as the last value of a case, unlabelled; labelled values may stand before it. An
/// enum without this mark is payload.
public protocol ActionGroup: Codable, Equatable, Sendable {}

/// Marks a group of actions that only the server says: work, alarms, handles and routes. A client
/// that posts one of them is refused.
public protocol FactGroup: ActionGroup {}

/// Marks a value that only the server says, wherever it stands in an action: an answer of work, or a
/// problem.
package protocol ServerSaid {}

/// A decoder that may read what a client has posted, and may have the secrets which stand where it reads.
package protocol ClientDecoder: Decoder {
    /// Throws if a client has posted what is read: it says nothing that only the server says.
    func refuseClients() throws

    /// The secret that stands here, where `"<redacted>"` asks for it; nil where it does not, or
    /// none were gathered. Throws where there is none to keep.
    func keptSecret<Value: Decodable>(as type: Value.Type) throws -> Value?
}

extension ServerSaid {
    /// Throws if `decoder` reads what a client has posted: the first step of each `init(from:)`,
    /// for where a type calls it by itself.
    static func refuseClients(of decoder: any Decoder) throws {
        try (decoder as? any ClientDecoder)?.refuseClients()
    }
}

extension Collection where Element: Identifiable {
    /// The place of the element of an id; a rejection `out-of-scope` where there is none.
    public func index(id: Element.ID) throws(Rejection) -> Index {
        guard let index = firstIndex(where: { $0.id == id }) else { throw .outOfScope }
        return index
    }

    /// The element of an id; nil where there is none.
    public func first(id: Element.ID?) -> Element? {
        guard let id else { return nil }
        return first { $0.id == id }
    }
}
