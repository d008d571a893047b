/// Elements of sets and keys of dictionaries, which are sorted by their texts.
extension FormText {
    /// The text as it is shown.
    var shown: [UInt8] { expanded(opening: false) }

    /// It stands before another: by what is shown, and where that is the same, by the secrets.
    ///
    /// Secrets decide only where the order does not show.
    func precedes(_ other: FormText) -> Bool {
        guard !holes.isEmpty || !other.holes.isEmpty else {
            return JSONOrder.precedes(bytes, other.bytes)
        }
        let (one, two) = (shown, other.shown)
        guard one == two else { return JSONOrder.precedes(one, two) }
        return expanded(opening: true).lexicographicallyPrecedes(other.expanded(opening: true))
    }

    /// Both are shown as the same text.
    func isShown(like other: FormText) -> Bool {
        holes.isEmpty && other.holes.isEmpty ? bytes == other.bytes : shown == other.shown
    }

    private func expanded(opening secrets: Bool) -> [UInt8] {
        guard !holes.isEmpty else { return bytes }
        var output: [UInt8] = []
        whole.append(to: &output, opening: secrets)
        return output
    }

    /// Writes the text at the end of a document, which takes its collections and secrets over.
    func write(to document: DocumentEncoder) {
        document.writer.append(raw: bytes.span)
        guard !holes.isEmpty else { return }
        if let forms = document.forms {
            forms.append(holes[...])
        } else {
            document.secrets.holes += holes
        }
    }
}
