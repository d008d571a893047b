/// The elements of a list that a ``GeneratingDecoder`` makes up.
struct GeneratedElements: UnkeyedDecodingContainer {
    let count: Int?
    private(set) var currentIndex = 0
    private let decoder: GeneratingDecoder
    private let end: Int

    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { currentIndex >= end }

    init(_ decoder: GeneratingDecoder, count: Int) {
        self.decoder = decoder
        self.count = count
        end = count
    }

    mutating func decodeNil() -> Bool {
        guard decoder.source.pick(4) == 1 else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        return try decoder.value(type, named: decoder.name)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        throw GenerationEnd.unknownForm
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw GenerationEnd.unknownForm
    }

    mutating func superDecoder() throws -> any Decoder { throw GenerationEnd.unknownForm }
}
