import Redux

extension StateDecoder {
    /// The value that `bytes` describe; where they read `"<redacted>"` in place of a secret, it keeps
    /// the one that stood there.
    package func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], keeping secrets: KeptSecrets
    ) throws(DecodingFailure) -> Value {
        let tape = try JSONTape(parsing: bytes, maximumDepth: maximumDepth)
        return try decode(type, from: tape, keeping: secrets)
    }
}

extension ValueDecoder: SecretFinding {
    package func keptSecret() throws -> (any Sendable)? {
        guard let secrets = document.secrets, place.index >= 0 else { return nil }
        let tape = document.tape
        guard tape.entries[Int(place.index)].kind == .string,
            tape.string(at: Int(place.index)) == Secret<String>.redacted
        else { return nil }
        if let secret = secrets.find(at: document.pointer(to: place)) { return secret }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "No secret stands here to be kept."))
    }
}
