import StateCoding

/// Values as they are after a way through JSON.
enum TestJSON {
    /// What a value is once it was written and read again.
    static func copy<Value: Codable>(of value: Value) throws -> Value {
        var json: [UInt8] = []
        try StateEncoder().encode(value, into: &json)
        return try StateDecoder().decode(Value.self, from: json.span)
    }
}
