/// Follows the cases of an action to the number of its type, and writes nothing: what the cases carry
/// besides a group is passed over.
final class TypePathEncoder: Encoder {
    private let tree: ActionTree
    /// The place in the tree of which a case comes next; nil behind the last case.
    private var node: Int? = 0
    private var number: Int?

    private init(_ tree: ActionTree) { self.tree = tree }

    /// The number of an action's type; nil where that is not listed.
    static func number(of action: some Encodable, in tree: ActionTree) -> Int? {
        let encoder = TypePathEncoder(tree)
        // An action that is refused cannot be written, either.
        guard (try? action.encode(to: encoder)) != nil, encoder.node == nil else { return nil }
        return encoder.number
    }

    /// A group comes next.
    fileprivate var isInside: Bool { node != nil }

    fileprivate func enter(_ name: String) {
        guard let node, let segment = tree.segment(name, at: node) else { return }
        (self.node, number) = (segment.node, segment.number)
    }

    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(TypePathContainer<Key>(encoder: self, isCase: false))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { PassedOver(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { PassedOver(encoder: self) }
}

/// The cases of an enum on the type path, or the values of one.
private struct TypePathContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: TypePathEncoder
    /// The keys are those of a case's values.
    let isCase: Bool

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {}

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        guard isCase, encoder.isInside, key.stringValue.isUnlabelled else { return }
        try value.encode(to: encoder)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        if !isCase { encoder.enter(key.stringValue) }
        return KeyedEncodingContainer(TypePathContainer<Nested>(encoder: encoder, isCase: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        PassedOver(encoder: encoder)
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Values that no type path leads through, but for the name of a case that is one itself: an enum of
/// raw values is written as one text.
private struct PassedOver: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: TypePathEncoder

    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws {}

    func encode(_ value: String) throws { encoder.enter(value) }

    func encode<Value: Encodable>(_ value: Value) throws {}

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(TypePathContainer<Nested>(encoder: encoder, isCase: true))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { encoder }
}
