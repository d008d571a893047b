import Bytes

/// Reads what ``StateEncoder`` writes, from strict JSON (RFC 8259, UTF-8, unique member names).
///
/// Members that the type does not know are ignored. A member named twice is refused, since which
/// of the two counts would be left to chance.
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
        try decode(type, from: [UInt8](copying: bytes))
    }

    /// The value that `bytes` describe.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(DecodingFailure) -> Value {
        let tape = try JSONTape(parsing: bytes, maximumDepth: maximumDepth)
        let core = DecodingCore(tape: tape, maximumDepth: maximumDepth)
        do {
            return try core.decode(type, at: Place(index: 0, depth: 0))
        } catch {
            throw core.failure(error)
        }
    }
}

extension DecodingCore {
    /// What a type's `init(from:)` threw, as it is shown to clients.
    func failure(_ error: any Error) -> DecodingFailure {
        var pointer = JSONPointer()
        var detail = "The value was refused."
        if let error = error as? DecodingError {
            let context: DecodingError.Context
            switch error {
            case .typeMismatch(_, let found), .valueNotFound(_, let found),
                .dataCorrupted(let found):
                context = found
            case .keyNotFound(let key, let found):
                context = found
                if !key.stringValue.isUnlabelled { pointer.tokens = [key.stringValue] }
            @unknown default:
                return DecodingFailure(
                    reason: .shape, pointer: pointer, offset: 0, detail: detail)
            }
            let path = context.codingPath.map { $0.intValue?.description ?? $0.stringValue }
            pointer.tokens = path + pointer.tokens
            detail = context.debugDescription
        }
        let bytes = tape.bytes
        let offset = pointer.range(in: bytes.span)?.lowerBound ?? 0
        return DecodingFailure(reason: .shape, pointer: pointer, offset: offset, detail: detail)
    }
}
