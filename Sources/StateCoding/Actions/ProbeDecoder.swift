/// What an enum of actions asks for while it is decoded: what the compiler does not tell of it.
final class Probe {
    /// The case whose values are looked for.
    fileprivate let caseName: String?
    /// The keys of the cases; nil if the type did not ask for them.
    fileprivate(set) var caseKeys: KeyNames?
    /// The type asked for a raw value instead.
    fileprivate(set) var isRaw = false
    /// The keys of the case's values; nil if the type did not ask for them.
    fileprivate(set) var valueKeys: KeyNames?
    /// The values of the case that it asked for, in their order.
    fileprivate(set) var values: [(key: String, type: Any.Type)] = []

    init<Enum: Decodable>(_ type: Enum.Type, case name: String? = nil) {
        caseName = name
        // What comes of it does not matter.
        _ = try? Enum(from: ProbeDecoder(probe: self))
    }
}

/// A decoder that makes values up, to find out what a type asks for.
private struct ProbeDecoder: Decoder {
    let probe: Probe
    /// The number of values that are being made up inside each other; 0 for the enum itself.
    var depth = 0

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if depth == 0 { probe.caseKeys = KeyNames(type) }
        return KeyedDecodingContainer(ProbeContainer<Key>(decoder: self, isCase: false))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ProbeEnd() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if depth == 0 { probe.isRaw = true }
        throw ProbeEnd()
    }

    /// A value of the type, made up.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        for json in ["\"\"", "0", "false", "[]", "{}"] {
            if let value = try? StateDecoder().decode(type, from: Array(json.utf8)) { return value }
        }
        if let value = KeyNames.values(of: type)?.first { return value }
        guard depth < 16 else { throw ProbeEnd() }
        return try Value(from: ProbeDecoder(probe: probe, depth: depth + 1))
    }
}

/// Ends a probe that has learnt all it can.
private struct ProbeEnd: Error {}

private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbeDecoder
    /// The keys are those of a case's values.
    let isCase: Bool

    /// The case that is looked for, in the container of an enum's cases.
    private var caseName: String? {
        decoder.depth == 0 && !isCase ? decoder.probe.caseName : nil
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] { caseName.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }

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
        guard key.stringValue == caseName else { throw ProbeEnd() }
        decoder.probe.valueKeys = KeyNames(type)
        return KeyedDecodingContainer(ProbeContainer<Nested>(decoder: decoder, isCase: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ProbeEnd()
    }

    func superDecoder() throws -> any Decoder { throw ProbeEnd() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw ProbeEnd() }

    private func note(_ key: Key, _ type: Any.Type) {
        if isCase { decoder.probe.values.append((key.stringValue, type)) }
    }
}
