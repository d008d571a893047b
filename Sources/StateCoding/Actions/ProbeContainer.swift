/// The containers of a ``ProbeDecoder``.
struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbeDecoder
    /// The keys are those of a case's values.
    let isCase: Bool

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        guard case .values(let name) = decoder.question else { return [] }
        return Key(stringValue: name).map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool { true }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        note(key, type)
        return try decoder.value(type)
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        note(key, Value?.self)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        guard case .values(let name) = decoder.question, !isCase, key.stringValue == name else {
            throw ProbeEnd()
        }
        decoder.notes.valueKeys = KeyNames(type)
        return KeyedDecodingContainer(ProbeContainer<Nested>(decoder: decoder, isCase: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ProbeEnd()
    }

    func superDecoder() throws -> any Decoder { throw ProbeEnd() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw ProbeEnd() }

    private func note(_ key: Key, _ type: Any.Type) {
        if isCase { decoder.notes.values.append((key.stringValue, type)) }
    }
}
