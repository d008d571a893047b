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
