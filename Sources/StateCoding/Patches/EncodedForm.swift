/// A state's JSON, kept so that the next state costs what has changed: its text without its
/// collections, and each collection of 128 bytes and more in pieces, beside the value that it was
/// encoded from.
///
///     {"counter":7,"items":␀}        items: [{"id":1,…}, … 64 elements] [{"id":65,…}, …] …
///
/// A form is a value that never changes. The form of the next state shares with it what both have
/// in common, so that the form of a state that is refused may be dropped, and the one before
/// serves on. It holds the application's values, and belongs where these belong.
@usableFromInline
package struct EncodedForm {
    let text: FormText
    /// The limit of nesting under which it was encoded.
    let maximumDepth: Int
    /// The number of bytes of the JSON.
    package let byteCount: Int
    /// The memory that the form keeps, in bytes, its values estimated by their texts: about twice
    /// the JSON.
    package let heldByteCount: Int

    init(text: FormText, maximumDepth: Int) {
        self.text = text
        self.maximumDepth = maximumDepth
        byteCount = text.byteCount
        heldByteCount = text.heldByteCount
    }

    /// A form of nothing but a text: patches lead on from it, and the form of the next value has
    /// nothing in common with it.
    ///
    /// - Parameter json: compact, as a ``StateEncoder`` writes it.
    package init(json: [UInt8]) {
        self.init(
            text: FormText(bytes: json, holes: []), maximumDepth: StateEncoder().maximumDepth)
    }

    /// The whole JSON, put together: what ``StateEncoder/encode(_:into:reusing:)`` writes.
    package func bytes() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(byteCount)
        text.append(0..<text.bytes.count, firstHole: 0, to: &output)
        return output
    }

    /// The way to this state from a former one; nil where there is none.
    package func change(from former: EncodedForm?) -> EncodedChange {
        EncodedChange(form: self, patch: former.flatMap { patch(from: $0) })
    }

    /// The operations that lead from a former state to this one; nil where both are the same text.
    ///
    /// They depend on the two states alone, and not on what both forms share.
    package func patch(from former: EncodedForm) -> JSONPatch? {
        TextDifference.patch(from: former.text, to: text)
    }
}

/// A state's form, and the way to it.
@usableFromInline
package struct EncodedChange {
    package let form: EncodedForm
    /// The operations that lead to it from the form before; nil where nothing has changed, or where
    /// there was no form.
    package let patch: JSONPatch?
}
