/// A value without members that a ``GeneratingDecoder`` makes up.
struct GeneratedValue: SingleValueDecodingContainer {
    let decoder: GeneratingDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.source.pick(3) == 1 }

    /// The value; of a group whose cases are raw texts, the case that was chosen.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let segment = decoder.path.first, let value = segment as? Value { return value }
        return try decoder.value(type, named: decoder.name)
    }
}
