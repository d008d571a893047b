import Redux

/// The decoder of one value: small enough to need no box.
struct ValueDecoder: ClientDecoder {
    let document: DocumentDecoder
    let place: Place

    var codingPath: [any CodingKey] { document.codingPath(at: place) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if place.segment >= 0 {
            try document.enterSegment(at: place.segment)
            return document.container(keyedBy: type, at: place, as: .actionCase)
        }
        guard place.index >= 0, document.tape.entries[Int(place.index)].kind == .object else {
            // The type that an error names where an object is missing, as in JSONDecoder; no value.
            throw document.mismatch([String: Any].self, "An object", place)
        }
        return document.container(keyedBy: type, at: place, as: .object)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard place.segment < 0 else { throw UnknownActionType() }
        return try ElementReader(document: document, place: place)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueReader(document: document, place: place)
    }
}

extension ValueDecoder {
    func refuseClients() throws { try document.refuseFact(at: place) }
}

/// Signals that a client has posted what only the server says, and where.
struct FactRefused: Error {
    var pointer: JSONPointer
}

/// Signals that the type path names no action.
struct UnknownActionType: Error {}
