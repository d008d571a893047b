import Bytes
import Reflection

/// Reads what ``StateEncoder`` writes, from strict JSON (RFC 8259, UTF-8, unique member names).
///
/// Members that the type does not know are ignored. A member named twice is refused, since which
/// of the two counts would be left to chance.
public struct StateDecoder: Sendable {
    /// The deepest nesting of objects and arrays.
    public var maximumDepth: Int
    /// Dictionaries and sets get room for so many times their elements, and so another order: for tests.
    package var roominess = 1

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
        try decode(type, from: bytes, keeping: nil)
    }

    /// The value that `bytes` describe; where they read `"<redacted>"` in place of a secret, it keeps
    /// the one that stood there, in an element of an array the one of its id.
    ///
    /// - Parameter secrets: what stood there, of which only such bytes ask; nil: none is kept.
    package func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], keeping secrets: (() -> KeptSecrets)?
    ) throws(DecodingFailure) -> Value {
        let document = DocumentDecoder(
            tape: try JSONTape(parsing: bytes, maximumDepth: maximumDepth),
            maximumDepth: maximumDepth, roominess: roominess, readers: ContainerPool())
        defer { document.releaseReaders() }
        document.secrets = secrets.map { secrets in
            let redacted = document.tape.redacted()
            let kept = redacted.isEmpty ? [:] : secrets()
            return redacted.reduce(into: [:]) { $0[$1.entry] = .some(kept[$1.place]) }
        }
        do {
            return try document.decode(type, at: Place(index: 0, depth: 0, segment: -1))
        } catch {
            throw document.failure(error)
        }
    }
}

/// Why bytes could not be read as a value.
public struct DecodingFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The bytes are not JSON (RFC 8259), or an object names a member twice.
        case syntax
        /// Objects and arrays nest deeper than the decoder's limit.
        case tooDeep
        /// The JSON does not have the shape of the type.
        case shape
    }

    /// The kind of failure.
    public var reason: Reason
    /// The value that is at fault, or for `.syntax` the innermost one that had been entered.
    public var pointer: JSONPointer
    /// The offset of the fault in the bytes.
    public var offset: Int
    /// A sentence that may be shown to the client.
    public var detail: String

    /// A failure at `pointer`.
    package init(reason: Reason, pointer: JSONPointer, offset: Int, detail: String) {
        self.reason = reason
        self.pointer = pointer
        self.offset = offset
        self.detail = detail
    }
}
