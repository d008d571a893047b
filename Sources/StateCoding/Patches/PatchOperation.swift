import Bytes

/// One operation of a patch (RFC 6902 §4), as ranges of the patch's bytes.
///
///     {"op":"add","path":"/a/b","value":[7],"before":"c"}
struct PatchOperation: Sendable {
    enum Kind: Sendable {
        case add, remove, replace
    }

    /// The inside of a JSON string.
    struct Text: Sendable {
        var range: Range<Int>
        var isEscaped: Bool

        /// The bytes that it stands for.
        func unescaped(_ patch: Span<UInt8>) -> [UInt8] {
            let inside = patch.extracting(range)
            return isEscaped ? JSONText.unescape(inside) : [UInt8](copying: inside)
        }
    }

    var kind: Kind
    /// The whole object, from brace to brace.
    var range: Range<Int>
    var path: Text
    /// The value; present unless the operation removes.
    var value: Range<Int>?
    /// Objects and arrays within each other in the value; 0 for a scalar.
    var valueDepth: Int
    /// The name of the member before which an added one stands.
    var before: Text?

    /// The path for a message.
    func pathText(_ patch: Span<UInt8>) -> String {
        precondition(path.range.upperBound <= patch.count, "The path stands in the patch.")
        return String(decoding: path.unescaped(patch), as: UTF8.self)
    }
}
