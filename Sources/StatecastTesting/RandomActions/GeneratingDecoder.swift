import Redux
import Reflection

/// A decoder that reads nothing, and makes up the value that a type asks for.
struct GeneratingDecoder: Decoder {
    let source: ValueSource
    /// The label or member whose value is made.
    let name: String?
    /// The cases of the groups that are still to be chosen: the rest of an action's type.
    let path: ArraySlice<String>
    /// The type is an enum: of its keys one is there.
    let isEnum: Bool
    private let depth: Int

    /// Values that hold themselves end at this depth, or fail.
    private static let depthLimit = 24

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// A decoder of an action, whose type's cases are `path`; or of a value, without a path.
    init(
        _ source: ValueSource, path: ArraySlice<String> = [], named name: String? = nil,
        isEnum: Bool = true, depth: Int = 0
    ) {
        self.source = source
        self.path = path
        self.name = name
        self.isEnum = isEnum
        self.depth = depth
    }

    /// Makes a value.
    func value<Value: Decodable>(_ type: Value.Type, named name: String?) throws -> Value {
        let isGroup = type is any ActionGroup.Type
        if isGroup, path.isEmpty { throw GenerationEnd.groupInPayload }
        if !isGroup {
            if let value = source.plain(type, named: name) { return value }
            if let all = EnumCases.values(of: type) {
                return all[source.pickCase(all.count, of: type, named: name)]
            }
        }
        guard depth < Self.depthLimit else { throw GenerationEnd.tooDeep }
        let inner = GeneratingDecoder(
            source, path: isGroup ? path : [], named: name, isEnum: EnumCases.isEnum(type),
            depth: depth + 1)
        return try source.attempt {
            if let dictionary = type as? any GeneratedDictionary.Type,
                let made = try dictionary.init(entries: inner) as? Value
            {
                return made
            }
            return try Value(from: inner)
        }
    }

    /// The same decoder, past the case that was chosen.
    func inside(_ segment: String) -> GeneratingDecoder {
        GeneratingDecoder(
            source, path: path.dropFirst(), named: name ?? segment, isEnum: false, depth: depth)
    }

    /// The number of elements of a list.
    func pickCount() -> Int {
        depth < 8 ? source.element(of: [1, 0, 2, 3]) : 0
    }

    /// One of the keys of an enum's cases; a case that may hold the enum again is left in the end.
    func pickCase<Key: CodingKey>(of type: Key.Type) -> [Key] {
        if let segment = path.first { return Key(stringValue: segment).map { [$0] } ?? [] }
        guard let all = EnumCases.values(of: type), !all.isEmpty else { return [] }
        let choice = source.pickCase(all.count, of: type, named: name)
        return [all[depth < 8 ? choice : (choice + depth) % all.count]]
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let keys = isEnum ? pickCase(of: type) : EnumCases.values(of: type) ?? []
        return KeyedDecodingContainer(GeneratedMembers<Key>(self, keys, isExact: isEnum))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        GeneratedElements(self, count: pickCount())
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        GeneratedValue(decoder: self)
    }
}

/// The reason why no value is made.
enum GenerationEnd: Error {
    /// The value would hold itself without an end.
    case tooDeep
    /// A group of actions stands where none can be chosen.
    case groupInPayload
    /// The type wants a form that is not made up.
    case unknownForm
}

/// A dictionary of any types, which is made entry by entry.
private protocol GeneratedDictionary {
    init(entries decoder: GeneratingDecoder) throws
}

extension Dictionary: GeneratedDictionary where Key: Decodable, Value: Decodable {
    fileprivate init(entries decoder: GeneratingDecoder) throws {
        self.init()
        for _ in 0..<decoder.pickCount() {
            let key = try decoder.value(Key.self, named: decoder.name)
            self[key] = try decoder.value(Value.self, named: decoder.name)
        }
    }
}
