/// A keyed container over a document's tape.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The meaning of the keys.
    enum Role: UInt8 {
        /// The members of an object.
        case object
        /// The values of an enum's case: members, or unlabelled values (see ``StateEncoder``).
        case nested
        /// The same for the payload of an action.
        case payload
        /// The one case that the type path names.
        case actionCase
        /// The values of a case whose last one is a group: the type path goes on, and labelled
        /// values before the group are members of the payload.
        case actionGroup
    }

    let document: DocumentDecoder
    let place: Place
    let role: Role

    var codingPath: [any CodingKey] { document.codingPath(at: place) }

    var allKeys: [Key] { role == .actionCase ? caseKeys : memberKeys }

    private var caseKeys: [Key] {
        guard let key = Key(stringValue: document.segmentName) else { return [] }
        if document.segmentNext < 0 { document.isPathConsumed = true }
        return [key]
    }

    private var memberKeys: [Key] {
        guard place.index >= 0, document.tape.entries[Int(place.index)].kind == .object else {
            return []
        }
        let object = document.tape.entries[Int(place.index)]
        var index = Int(place.index) + 1
        var keys: [Key] = []
        for _ in 0..<object.count {
            if let key = Key(stringValue: document.tape.string(at: index)) { keys.append(key) }
            index = Int(document.tape.entries[index + 1].next)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        guard let found = try? find(key) else { return false }
        return found.index >= 0
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        document.isNull(try place(of: key))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try document.string(at: place(of: key))
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try document.integer(type, at: place(of: key))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try document.bool(at: place(of: key))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try document.double(at: place(of: key))
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try document.integer(type, at: place(of: key))
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try document.integer(type, at: place(of: key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let traits = document.traits(of: type)
        if traits.isActionGroup, isGroup(at: key) { return try group(type, as: traits, key) }
        return try document.decode(type, as: traits, at: place(of: key))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let found = try find(key), !document.isNull(found) else { return nil }
        return try document.string(at: found)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let found = try find(key), !document.isNull(found) else { return nil }
        return try document.integer(type, at: found)
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        if role == .actionGroup, isGroup(at: key) { return try decode(type, forKey: key) }
        guard let found = try find(key), !document.isNull(found) else {
            if document.isPosted, document.traits(of: type).isFact {
                try document.refuseFact(at: place)
            }
            return nil
        }
        return try decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        guard role == .actionCase else {
            let found = try place(of: key)
            return KeyedDecodingContainer(
                KeyedReader<Nested>(document: document, place: found, role: .nested))
        }
        let next = document.segmentNext
        let inner = Place(index: place.index, depth: place.depth + 1, segment: next)
        return KeyedDecodingContainer(
            KeyedReader<Nested>(
                document: document, place: inner, role: next < 0 ? .payload : .actionGroup))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ElementReader(document: document, place: place(of: key))
    }

    func superDecoder() throws -> any Decoder {
        guard let found = try member("super") else {
            throw document.missing(PathKey(stringValue: "super"), at: place)
        }
        return try document.decoder(at: found)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try document.decoder(at: place(of: key))
    }
}
