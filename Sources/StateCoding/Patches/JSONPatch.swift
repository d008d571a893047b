/// The operations that lead from one JSON text to another (RFC 6902): only `add`, `remove` and
/// `replace`, each of them carried out on what those before it have made.
///
///     [{"op":"add","path":"/items/3","value":{"text":"milk"}},{"op":"remove","path":"/note"}]
///
/// An `add` that puts a member before others of its object names the one that follows:
/// `{"op":"add","path":"/note","value":"","before":"tags"}`. RFC 6902 §4 obliges others to ignore
/// that, so that they come to an equal value; whoever obeys it comes to the same bytes.
package struct JSONPatch: Sendable, Equatable {
    /// The bytes of the array, compact, in one line.
    package let operations: [UInt8]

    /// The operations that lead from one compact JSON text of our encoder to another; nil where
    /// both are equal.
    ///
    /// A patch takes at most 37 bytes more than the text that it leads to. Takes time in proportion
    /// to both texts.
    package static func difference(from old: Span<UInt8>, to new: Span<UInt8>) -> JSONPatch? {
        guard !old.isEqual(to: new) else { return nil }
        return TextDifference.patch(from: FormText(copying: old), to: FormText(copying: new))
    }
}
