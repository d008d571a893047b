import Redux
import StateCoding

/// Values as they are after a way through JSON.
enum TestJSON {
    /// What a value is once it was written and read again.
    static func copy<Value: Codable>(of value: Value) throws -> Value {
        let json = try json(of: value)
        return try StateDecoder().decode(Value.self, from: json.span)
    }

    /// Tells whether a copy is the value, but for the secrets in it, which nothing writes.
    static func isSame<Value: Codable & Equatable>(
        _ copy: Value, as value: Value
    ) throws -> Bool {
        if copy == value { return true }
        let json = try json(of: value)
        let text = String(decoding: json, as: UTF8.self)
        guard text.contains("\"\(Secret<String>.redacted)\""), try Self.json(of: copy) == json
        else { return false }
        // What is not written at all is in neither JSON: the values show it.
        let lines = StateDiff.lines(value, copy)
        return lines.count == 1 && lines[0].hasSuffix(": what differs is not shown")
    }

    private static func json(of value: some Encodable) throws -> [UInt8] {
        var json: [UInt8] = []
        try StateEncoder().encode(value, into: &json)
        return json
    }
}
