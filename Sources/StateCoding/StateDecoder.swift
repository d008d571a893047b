/// Reads what ``StateEncoder`` writes, from strict JSON (RFC 8259, UTF-8, unique member names).
public struct StateDecoder: Sendable {
    /// How deep objects and arrays may nest.
    public var maximumDepth: Int

    /// A decoder that refuses JSON nested deeper than `maximumDepth`.
    public init(maximumDepth: Int = 128) {
        self.maximumDepth = maximumDepth
    }

    /// The value that `bytes` describe.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Span<UInt8>
    ) throws(DecodingFailure) -> Value {
        throw DecodingFailure(reason: .shape, pointer: JSONPointer(), offset: 0, detail: "")
    }
}
