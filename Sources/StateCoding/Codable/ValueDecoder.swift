import Redux

/// The decoder of one value, and its single-value container: small enough to need no box.
struct ValueDecoder: ClientDecoder, SingleValueDecodingContainer {
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
        guard place.segment < 0 else { throw document.unknownType() }
        return try ElementReader(document: document, place: place)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func refuseClients() throws { try document.refuseFact(at: place) }

    func decodeNil() -> Bool { place.segment < 0 && document.isNull(place) }

    /// A string; an action's enum with string raw values finds its case by it.
    func decode(_ type: String.Type) throws -> String {
        guard place.segment >= 0 else { return try document.string(at: place) }
        try document.enterSegment(at: place.segment)
        guard document.segmentNext < 0 else { throw document.unknownType() }
        document.isPathConsumed = true
        return document.segment.name
    }

    // The protocol has a default for these, which throws.
    func decode(_ type: Int128.Type) throws -> Int128 { try decodeAny(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeAny(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decodeAny(type) }

    private func decodeAny<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let traits = document.traits(of: type)
        guard place.segment >= 0 else {
            return try document.decode(type, as: traits, at: place.inner(place.index))
        }
        if traits.isFact { try document.refuseFact(at: place) }
        if traits.form.isScalar { throw document.unknownType() }
        var inner = place
        inner.depth += 1
        return try Value(from: document.decoder(at: inner))
    }
}

/// An unkeyed container over a document's tape.
struct ElementReader: UnkeyedDecodingContainer {
    private let document: DocumentDecoder
    private let place: Place
    private var next: Int32
    private let total: Int
    private(set) var currentIndex = 0

    init(document: DocumentDecoder, place: Place) throws {
        guard place.index >= 0, document.tape.entries[Int(place.index)].kind == .array else {
            throw document.mismatch([Any].self, "An array", place)
        }
        self.document = document
        self.place = place
        next = place.index + 1
        total = Int(document.tape.entries[Int(place.index)].count)
    }

    var codingPath: [any CodingKey] { document.codingPath(at: place) }

    var count: Int? { total }

    var isAtEnd: Bool { currentIndex >= total }

    private func current() throws -> Place {
        guard !isAtEnd else {
            let context = document.context(at: place, "The array is too short.")
            throw DecodingError.valueNotFound(Any.self, context)
        }
        return place.inner(next)
    }

    private mutating func advance() {
        next = Int32(truncatingIfNeeded: document.tape.entries[Int(next)].next)
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard document.isNull(try current()) else { return false }
        advance()
        return true
    }

    // The protocol has a default for these, which throws.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeAny(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeAny(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decodeAny(type)
    }

    private mutating func decodeAny<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try document.decode(type, at: current())
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try document.decoder(at: current()).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try ElementReader(document: document, place: current())
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try document.decoder(at: current())
        advance()
        return decoder
    }
}
