import Reflection

/// A decoder that makes values up, to find out what a type asks for.
struct ProbeDecoder: Decoder {
    enum Question {
        /// Which keys have this enum's cases?
        case cases
        /// Which values has the case of this key?
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
            notes.caseKeys = KeyNames(type)
            throw ProbeEnd()
        }
        return KeyedDecodingContainer(ProbeContainer<Key>(decoder: self, isCase: false))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ProbeEnd() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if case .cases = question { notes.isRaw = true }
        throw ProbeEnd()
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
        if let iterable = type as? any CaseIterable.Type,
            let value = Self.first(iterable) as? Value
        {
            return value
        }
        if let value = EnumCases.values(of: type)?.first { return value }
        guard depth < 16 else { throw ProbeEnd() }
        return try Value(from: ProbeDecoder(notes: notes, question: .none, depth: depth + 1))
    }

    private static func zero<Number: ExpressibleByIntegerLiteral>(_ type: Number.Type) -> Number {
        0
    }

    private static func empty<List: ExpressibleByArrayLiteral>(_ type: List.Type) -> List { [] }

    private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Cases? {
        type.allCases.first
    }
}

/// Ends a probe that has learnt all it can.
struct ProbeEnd: Error {}
