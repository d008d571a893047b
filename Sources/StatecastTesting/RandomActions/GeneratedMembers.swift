/// The members of an object that a ``GeneratingDecoder`` makes up.
struct GeneratedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let allKeys: [Key]
    private let decoder: GeneratingDecoder
    /// There are these members and no others: the one case of an enum.
    private let isExact: Bool

    var codingPath: [any CodingKey] { [] }

    init(_ decoder: GeneratingDecoder, _ keys: [Key], isExact: Bool) {
        self.decoder = decoder
        self.isExact = isExact
        allKeys = keys
    }

    func contains(_ key: Key) -> Bool {
        !isExact || allKeys.contains { $0.stringValue == key.stringValue }
    }

    func decodeNil(forKey key: Key) -> Bool { !isExact && decoder.source.pick(3) == 1 }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.value(type, named: name(of: key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        decoder.inside(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        decoder.inside(key.stringValue).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }

    func superDecoder(forKey key: Key) -> any Decoder { decoder.inside(key.stringValue) }

    /// The name of a value; one without a label, `_0`, has that of its case.
    private func name(of key: Key) -> String? {
        let name = key.stringValue
        return name.first == "_" && Int(name.dropFirst()) != nil ? decoder.name : name
    }
}
