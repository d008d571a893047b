/// A decoder that makes values up, to find out what a type asks for.
struct ProbeDecoder: Decoder {
    enum Question {
        /// Which cases has this enum?
        case cases
        /// Which values has this case?
        case values(ofCase: String)
        /// None: any value of the type will do.
        case none
    }

    let notes: ProbeNotes
    let question: Question
    var depth = 0

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if case .cases = question {
            notes.cases = Self.names(of: type)
            throw ProbeEnd()
        }
        return KeyedDecodingContainer(ProbeContainer<Key>(decoder: self, isCase: false))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ProbeEnd() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if case .cases = question { notes.isRaw = true }
        throw ProbeEnd()
    }

    private static func names<Key: CodingKey>(of type: Key.Type) -> [String] {
        guard let iterable = type as? any (CodingKey & CaseIterable).Type else { return [] }
        return allNames(of: iterable)
    }

    private static func allNames<Key: CodingKey & CaseIterable>(of type: Key.Type) -> [String] {
        type.allCases.map(\.stringValue)
    }

    /// A value of the type, made up.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let value = "" as? Value { return value }
        if let value = false as? Value { return value }
        if let number = type as? any ExpressibleByIntegerLiteral.Type,
            let value = Self.zero(number) as? Value
        {
            return value
        }
        if let collection = type as? any ExpressibleByArrayLiteral.Type,
            let value = Self.empty(collection) as? Value
        {
            return value
        }
        guard depth < 16 else { throw ProbeEnd() }
        return try Value(from: ProbeDecoder(notes: notes, question: .none, depth: depth + 1))
    }

    private static func zero<Number: ExpressibleByIntegerLiteral>(_ type: Number.Type) -> Number {
        0
    }

    private static func empty<List: ExpressibleByArrayLiteral>(_ type: List.Type) -> List { [] }
}

/// Ends a probe that has learnt all it can.
struct ProbeEnd: Error {}

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
        note(key)
        if isCase, type is any ActionGroup.Type {
            let notes = decoder.notes
            notes.group = { ActionTypes.explore(type, prefix: $0, notes: notes) }
            throw ProbeEnd()
        }
        return try decoder.value(type)
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        note(key)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        guard case .values(let name) = decoder.question, !isCase, key.stringValue == name else {
            throw ProbeEnd()
        }
        return KeyedDecodingContainer(ProbeContainer<Nested>(decoder: decoder, isCase: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ProbeEnd()
    }

    func superDecoder() throws -> any Decoder { throw ProbeEnd() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw ProbeEnd() }

    private func note(_ key: Key) {
        guard isCase else { return }
        decoder.notes.labels.append(key.stringValue)
        decoder.notes.hasSecond = Key(stringValue: "_1") != nil
    }
}
