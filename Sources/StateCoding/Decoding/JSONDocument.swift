import Bytes

/// A JSON document that is looked into by name and index, without a type to decode: what a test or
/// a tool reads of an answer.
package struct JSONDocument: Sendable {
    private let tape: JSONTape

    /// Reads strict JSON (RFC 8259).
    package init(
        parsing bytes: Span<UInt8>, maximumDepth: Int = 128
    ) throws(DecodingFailure) {
        tape = try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
    }

    /// The whole document.
    package var root: JSONValue { JSONValue(tape: tape, index: 0) }
}
