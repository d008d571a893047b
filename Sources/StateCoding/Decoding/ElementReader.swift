/// An unkeyed container over a document's tape.
struct ElementReader: UnkeyedDecodingContainer {
    private let core: DecodingCore
    private let place: Place
    private var next: Int32
    private let total: Int
    private(set) var currentIndex = 0

    init(core: DecodingCore, place: Place) throws {
        guard place.index >= 0, core.tape.entries[Int(place.index)].kind == .array else {
            throw core.mismatch([Any].self, "An array", place)
        }
        self.core = core
        self.place = place
        next = place.index + 1
        total = Int(core.tape.entries[Int(place.index)].count)
    }

    var codingPath: [any CodingKey] { core.codingPath(at: place) }

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
        next = Int32(truncatingIfNeeded: core.tape.entries[Int(next)].next)
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard core.isNull(try current()) else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try core.integer(type, at: current())
        advance()
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try core.integer(type, at: current())
        advance()
        return value
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try core.decode(type, at: current())
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try core.decoder(at: current()).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try ElementReader(core: core, place: current())
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try core.decoder(at: current())
        advance()
        return decoder
    }
}
