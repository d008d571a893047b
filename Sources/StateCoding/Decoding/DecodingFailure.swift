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
