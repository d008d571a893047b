/// A keyed container over a document's tape.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// What is read at present.
    let source: KeyedSource<Key>

    /// Reads what `source` says at the time.
    init(_ source: KeyedSource<Key>) { self.source = source }

    var document: DocumentDecoder {
        @inline(__always) get {
            guard let document = source.document else {
                preconditionFailure("A container that somebody holds has a document.")
            }
            return document
        }
    }

    var place: Place {
        @inline(__always) get { source.place }
    }

    var role: KeyedRole {
        @inline(__always) get { source.role }
    }

    var codingPath: [any CodingKey] { document.codingPath(at: place) }

    var allKeys: [Key] { role == .actionCase ? caseKeys : memberKeys }

    private var caseKeys: [Key] {
        let document = document
        guard let found = source.cases(named: document.segmentName, at: document.segmentIndex)
        else {
            return []
        }
        if document.segmentNext < 0 { document.isPathConsumed = true }
        return found.keys
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
        guard let found = try? find(key, in: document) else { return false }
        return found.index >= 0
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        document.isNull(try place(of: key, in: document))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let document = document
        return try document.string(at: place(of: key, in: document))
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let document = document
        return try document.integer(type, at: place(of: key, in: document))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let document = document
        return try document.bool(at: place(of: key, in: document))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let document = document
        return try document.double(at: place(of: key, in: document))
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        let document = document
        return try document.integer(type, at: place(of: key, in: document))
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        let document = document
        return try document.integer(type, at: place(of: key, in: document))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let document = document
        let traits = document.traits(of: type)
        if traits.isActionGroup, isGroup(at: key) { return try group(type, as: traits, key) }
        return try document.decode(type, as: traits, at: place(of: key, in: document))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let document = document
        guard let found = try find(key, in: document), !document.isNull(found) else { return nil }
        return try document.string(at: found)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        let document = document
        guard let found = try find(key, in: document), !document.isNull(found) else { return nil }
        return try document.integer(type, at: found)
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        if role == .actionGroup, isGroup(at: key) { return try decode(type, forKey: key) }
        let document = document
        guard let found = try find(key, in: document), !document.isNull(found) else {
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
            return document.container(
                keyedBy: type, at: try place(of: key, in: document), as: .nested)
        }
        let next = document.segmentNext
        let inner = Place(index: place.index, depth: place.depth + 1, segment: next)
        return document.container(
            keyedBy: type, at: inner, as: next < 0 ? .payload : .actionGroup)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ElementReader(document: document, place: place(of: key, in: document))
    }

    func superDecoder() throws -> any Decoder {
        guard let found = try document.member("super", of: source) else {
            throw document.missing(PathKey(stringValue: "super"), at: place)
        }
        return try document.decoder(at: found)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try document.decoder(at: place(of: key, in: document))
    }
}
