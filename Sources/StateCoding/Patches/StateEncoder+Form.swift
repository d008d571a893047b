extension StateEncoder {
    /// Encodes a state and finds what has changed since the state of a former form, in time that
    /// depends on what has changed: collections with the same storage are taken over, elements with
    /// the same bits are not encoded.
    ///
    /// A value's encoding has to depend on the value alone.
    ///
    /// - Parameter former: nil for a state without one before it.
    /// - Throws: what `encode(_:into:)` throws; the former form serves on.
    package func encode(
        _ value: some Encodable, after former: EncodedForm?
    ) throws(EncodingFailure) -> EncodedChange {
        let isAlike = former?.maximumDepth == maximumDepth
        let text = try FormRun.text(
            maximumDepth: maximumDepth, after: isAlike ? former?.text.holes ?? [] : []
        ) { document in
            try document.encodeValue(value)
        }
        let form = EncodedForm(text: text, maximumDepth: maximumDepth)
        return EncodedChange(form: form, patch: former.flatMap { form.patch(from: $0) })
    }
}

/// One run of an encoder that keeps collections by themselves.
enum FormRun {
    /// The text that `body` writes. Values that cannot be written in pieces, since they fill two
    /// containers in turn or put one in later, are one piece.
    static func text(
        maximumDepth: Int, after former: [FormNode], body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) -> FormText {
        let known = TypeTable.known
        let forms = FormRecorder(after: former)
        let document = DocumentEncoder(
            writer: JSONWriter(), types: known, maximumDepth: maximumDepth, nesting: 0,
            defersNested: false, forms: forms)
        do {
            try body(document)
            let bytes = try document.finish()
            if document.types.count > known.count { document.types.publish() }
            return FormText(bytes: bytes, holes: forms.holes)
        } catch {
            // A plain run either succeeds, or says what is wrong and where.
            var output: [UInt8] = []
            try EncodingRun.append(to: &output, maximumDepth: maximumDepth, body: body)
            return FormText(bytes: output, holes: [])
        }
    }
}
