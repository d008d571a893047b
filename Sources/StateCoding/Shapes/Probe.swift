import Redux
import Reflection

/// A run of a type's decoding with values that are made up, and what the type asked for meanwhile.
final class Probe {
    /// What the run is given where there is a choice.
    struct Script {
        /// The only key of the value; nil: the first one that its type has.
        var key: String?
        /// The value of a member, by its place among all that the member's type has.
        var choice: (member: String, option: Int)?
        /// So many readings of the value as a whole fail.
        var failureCount = 0
        /// The texts and numbers that are made up.
        var variant = 0
    }

    private let script: Script
    private let source: ProbeValues
    /// What the type asked for: several things where it tried one after the other.
    fileprivate(set) var found: [Asked] = []
    /// The members of which all values are known, with the number of these.
    private(set) var choices: [(member: String, optionCount: Int)] = []
    /// The type of which no value could be made up, so that the run has ended before all was asked for.
    private(set) var obstacle: String?
    /// What was decoded; nil where the type refused it.
    private(set) var value: Any?

    init<Value: Decodable>(
        _ type: Value.Type, _ script: Script = Script(), from source: ProbeValues = ProbeValues()
    ) {
        self.script = script
        self.source = source
        value = try? Value(from: ProbeDecoder(probe: self))
    }

    /// The value asks for its parts by keys.
    var object: AskedObject? {
        if case .object(let object)? = found.first { object } else { nil }
    }

    /// The values of the case that the run was given.
    var values: AskedObject? {
        if case .object(let values)? = object?.members.first?.asked { values } else { nil }
    }

    /// A value, made up.
    fileprivate func make<Value: Decodable>(
        _ type: Value.Type, member: String? = nil
    ) throws -> Value {
        guard let value = try makeAny(type, member) as? Value else { throw end() }
        return value
    }

    /// By the type as a value: nothing of this is compiled once for each type of numbers.
    private func makeAny(_ type: any Decodable.Type, _ member: String?) throws -> any Decodable {
        try makeValue(type, member)
    }

    private func makeValue<Value: Decodable>(
        _ type: Value.Type, _ member: String?
    ) throws -> Value {
        if let member, let options = ProbeValues.options(of: type) {
            choices.append((member, options.count))
            let isChosen = script.choice?.member == member
            return options[isChosen ? script.choice?.option ?? 0 : 0].value
        }
        do throws(ProbeEnd) {
            return try source.value(type, script.variant)
        } catch {
            obstacle = error.type
            throw error
        }
    }

    /// The only key of a value with these keys.
    fileprivate func key(among keys: KeyNames) -> String {
        script.key ?? keys.all?.first ?? "key"
    }

    /// The value is read as a whole.
    fileprivate func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        found.append(.value(type))
        guard found.count > script.failureCount else { throw ProbeEnd(type: "\(type)") }
        return try make(type)
    }

    /// The value asks for a decoder of its own, which is not made up.
    fileprivate func end() -> ProbeEnd {
        obstacle = "a super decoder"
        return ProbeEnd(type: "")
    }
}

/// What a type asks its decoder for.
enum Asked {
    case value(Any.Type)
    case object(AskedObject)
    case list(AskedList)
}

/// The values that a type asks for by their keys.
final class AskedObject {
    typealias Member = (name: String, asked: Asked, isOptional: Bool)

    let keys: KeyNames
    fileprivate(set) var members: [Member] = []
    /// The type asks which keys there are.
    fileprivate(set) var asksForKeys = false
    /// The members that need not be there, or may be null.
    private var doubted: Set<String> = []

    fileprivate init(_ keys: KeyNames) { self.keys = keys }

    fileprivate func doubt(_ key: some CodingKey) { doubted.insert(key.stringValue) }

    fileprivate func add(_ key: some CodingKey, _ asked: Asked, isOptional: Bool = false) {
        let name = key.stringValue
        guard !members.contains(where: { $0.name == name }) else { return }
        members.append((name, asked, isOptional || doubted.contains(name)))
    }

    /// Adds what a struct has not asked for, as far as its coding is the compiler's: a member for each
    /// stored property that has a key. False where it is not.
    func complete(of type: Any.Type) -> Bool {
        let properties = StoredTypes.properties(of: type).compactMap { property in
            keys.wireName(of: property.name).map { (name: $0, type: property.type) }
        }
        guard properties.count == keys.all?.count,
            zip(members, properties).allSatisfy({ $0.name == $1.name })
        else { return false }
        for (name, type) in properties.dropFirst(members.count) {
            members.append((name, .value(type), type is any ExpressibleByNilLiteral.Type))
        }
        return true
    }

    /// The types of the members, by their names.
    var types: [(name: String, type: Any.Type)] {
        members.compactMap { member in
            guard case .value(let type) = member.asked else { return nil }
            return (member.name, member.isOptional ? optional(type) : type)
        }
    }

    private func optional(_ type: Any.Type) -> Any.Type {
        func wrap<Value>(_ type: Value.Type) -> Any.Type { Value?.self }
        return wrap(type)
    }

    /// Two runs of a type with one signature asked for the same.
    var signature: [String] {
        members.map { "\($0.name) \($0.isOptional) \($0.asked)" }
    }
}

/// The elements that a type asks for in their order.
final class AskedList {
    fileprivate(set) var elements: [Asked] = []
    /// The type asks how many there are.
    fileprivate(set) var isOpen = false
}

/// Ends a run that has learnt all it can.
struct ProbeEnd: Error {
    /// The type of which no value is at hand.
    let type: String
}

// MARK: Decoding

/// The decoder of a run, and its single-value container.
private struct ProbeDecoder: Decoder, SingleValueDecodingContainer {
    let probe: Probe

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let object = probe.object ?? AskedObject(KeyNames(type))
        if probe.found.isEmpty { probe.found.append(.object(object)) }
        return KeyedDecodingContainer(
            ProbeContainer(probe: probe, object: object, isWhole: true))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let list = AskedList()
        probe.found.append(.list(list))
        return ProbeElements(probe: probe, list: list)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode(_ type: Int128.Type) throws -> Int128 { try probe.read(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try probe.read(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try probe.read(type) }
}

private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    let object: AskedObject
    /// The keys are those of the value itself, and not those of an enum's case.
    let isWhole: Bool

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        object.asksForKeys = true
        guard isWhole, let key = Key(stringValue: probe.key(among: object.keys)) else { return [] }
        return [key]
    }

    func contains(_ key: Key) -> Bool {
        guard !isWhole || !object.asksForKeys else {
            return key.stringValue == probe.key(among: object.keys)
        }
        object.doubt(key)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        object.doubt(key)
        return false
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try make(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try make(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try make(type, key)
    }

    private func make<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        object.add(key, .value(type))
        return try probe.make(type, member: isWhole ? key.stringValue : nil)
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        object.add(key, .value(type), isOptional: true)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let nested = AskedObject(KeyNames(type))
        object.add(key, .object(nested))
        return KeyedDecodingContainer(
            ProbeContainer<Nested>(probe: probe, object: nested, isWhole: false))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let list = AskedList()
        object.add(key, .list(list))
        return ProbeElements(probe: probe, list: list)
    }

    func superDecoder() throws -> any Decoder { throw probe.end() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw probe.end() }
}

/// One element where a type asks how many there are, and else as many as it asks for.
private struct ProbeElements: UnkeyedDecodingContainer {
    let probe: Probe
    let list: AskedList
    private(set) var currentIndex = 0

    init(probe: Probe, list: AskedList) { (self.probe, self.list) = (probe, list) }

    var codingPath: [any CodingKey] { [] }

    var count: Int? {
        list.isOpen = true
        return 1
    }

    var isAtEnd: Bool {
        list.isOpen = true
        return currentIndex > 0
    }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try make(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try make(type) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try make(type) }

    private mutating func make<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard currentIndex < 1000 else { throw probe.end() }
        list.elements.append(.value(type))
        currentIndex += 1
        return try probe.make(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let nested = AskedObject(KeyNames(type))
        list.elements.append(.object(nested))
        currentIndex += 1
        return KeyedDecodingContainer(
            ProbeContainer<Nested>(probe: probe, object: nested, isWhole: false))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw probe.end()
    }

    mutating func superDecoder() throws -> any Decoder { throw probe.end() }
}
