/// An encoder that writes nothing: what synthesized coding and the containers of the standard library
/// take by themselves.
struct IdleEncoder: Encoder {
    /// The members of an object.
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}
        func encode(_ value: String, forKey key: Key) {}
        func encode(_ value: Int, forKey key: Key) {}
        func encode(_ value: Double, forKey key: Key) {}

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try value.encode(to: IdleEncoder())
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            IdleEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            IdleEncoder().unkeyedContainer()
        }

        func superEncoder() -> any Encoder { IdleEncoder() }
        func superEncoder(forKey key: Key) -> any Encoder { IdleEncoder() }
    }

    /// The elements of an array, or one value.
    private struct Elements: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }

        func encodeNil() {}

        func encode<Value: Encodable>(_ value: Value) throws {
            try value.encode(to: IdleEncoder())
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            IdleEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            IdleEncoder().unkeyedContainer()
        }

        func superEncoder() -> any Encoder { IdleEncoder() }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Elements() }
}
