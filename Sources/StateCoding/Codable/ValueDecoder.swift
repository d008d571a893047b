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

    func refuseClients() throws { try document.refuseFact(at: place) }
}

/// Signals that a client has posted what only the server says, and where.
struct FactRefused: Error {
    var pointer: JSONPointer
}

/// Signals that the type path names no action.
struct UnknownActionType: Error {}

/// A single-value container over a document's tape: where all scalars end up.
struct SingleValueReader: SingleValueDecodingContainer {
    let document: DocumentDecoder
    let place: Place

    var codingPath: [any CodingKey] { document.codingPath(at: place) }

    func decodeNil() -> Bool { place.segment < 0 && document.isNull(place) }

    /// A string; an action's enum with string raw values finds its case by it.
    func decode(_ type: String.Type) throws -> String {
        guard place.segment >= 0 else { return try document.string(at: place) }
        try document.enterSegment(at: place.segment)
        guard document.segmentNext < 0 else { throw UnknownActionType() }
        document.isPathConsumed = true
        return document.segmentName
    }

    func decode(_ type: Bool.Type) throws -> Bool { try document.bool(at: value()) }
    func decode(_ type: Double.Type) throws -> Double { try document.double(at: value()) }
    func decode(_ type: Float.Type) throws -> Float { try document.float(at: value()) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if place.segment >= 0 {
            if document.traits(of: type).isFact { try document.refuseFact(at: place) }
            var inner = place
            inner.depth += 1
            return try Value(from: document.decoder(at: inner))
        }
        return try document.decode(type, at: place.inner(place.index))
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        try document.integer(type, at: value())
    }

    private func value() throws -> Place {
        guard place.segment < 0 else { throw UnknownActionType() }
        return place
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
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "The array is too short."))
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

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try document.integer(type, at: current())
        advance()
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try document.integer(type, at: current())
        advance()
        return value
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
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
