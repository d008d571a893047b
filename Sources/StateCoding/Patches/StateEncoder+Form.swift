extension StateEncoder {
    /// Encodes a state and finds what has changed since the state of a former form, in time that
    /// depends on what has changed: collections with the same storage are taken over, elements with
    /// the same bits are not encoded.
    ///
    /// A value's encoding has to depend on the value alone.
    ///
    /// - Parameters:
    ///   - former: nil for a state without one before it.
    ///   - keepsSecrets: the form keeps what its secrets are, for ``EncodedChange/secrets``.
    /// - Throws: what `encode(_:into:)` throws, and where secrets are kept, a failure for one that
    ///   cannot be encoded; the former form serves on.
    package func encode(
        _ value: some Encodable, after former: EncodedForm?,
        keepingSecrets keepsSecrets: Bool = false
    ) throws(EncodingFailure) -> EncodedChange {
        let secrets: EncodedSecrets.Treatment = keepsSecrets ? .kept : .hidden
        let isAlike = former?.maximumDepth == maximumDepth && former?.keepsSecrets == keepsSecrets
        let collections = isAlike ? former?.text.collections : nil
        let text = try FormRun.text(
            maximumDepth: maximumDepth, secrets, after: collections ?? []
        ) { document in
            try document.encodeValue(value)
        }
        let form = EncodedForm(text: text, maximumDepth: maximumDepth, keepsSecrets: keepsSecrets)
        return form.change(from: former)
    }
}

/// One run of an encoder that keeps collections by themselves.
enum FormRun {
    /// The text that `body` writes. Values that cannot be written in pieces, since they fill two
    /// containers in turn or put one in later, are one piece.
    static func text(
        maximumDepth: Int, _ secrets: EncodedSecrets.Treatment, after former: [FormHole],
        body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) -> FormText {
        let forms = FormRecorder(after: former)
        let document = DocumentEncoder(
            writer: JSONWriter(), maximumDepth: maximumDepth, forms: forms,
            writers: WriterPool())
        defer { document.writers?.close() }
        document.secrets = EncodedSecrets(secrets)
        do {
            try body(document)
            let bytes = try document.finish()
            return FormText(bytes: bytes, holes: forms.holes)
        } catch {
            // A plain run either succeeds, or says what is wrong and where.
            var output: [UInt8] = []
            var last: DocumentEncoder?
            try EncodingRun.append(to: &output, maximumDepth: maximumDepth) { document in
                document.secrets = EncodedSecrets(secrets)
                last = document
                try body(document)
            }
            return FormText(bytes: output, holes: last?.secrets.holes ?? [])
        }
    }
}
