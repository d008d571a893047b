import Redux

/// Writes one secret into a document, the way that the document treats them.
struct SecretWriter {
    let document: DocumentEncoder

    /// Writes what stands for a secret: `"<redacted>"` for each of a type that is not `Encodable`,
    /// as that has no JSON.
    ///
    /// - Throws: a failure that says nothing of what a secret is.
    func write<Value>(_ secret: Secret<Value>) throws {
        switch document.secrets.treatment {
        case .hidden: try redact()
        case .gathered(let secrets): try writer.encode(secrets.placeholder(for: secret.value))
        case .kept:
            guard let secret = secret as? any EncodableSecret else { return try redact() }
            try keep(json(of: secret))
        case .open:
            guard let secret = secret as? any EncodableSecret else { return try redact() }
            try writer.beginValue()
            try secret.encodeValue(into: document)
        }
    }

    private var writer: SingleValueWriter { SingleValueWriter(document: document) }

    private func redact() throws { try writer.encode(Secret<Never>.redacted) }

    private func keep(_ json: [UInt8]) throws {
        try writer.beginValue()
        FormText(bytes: [FormText.placeholder], holes: [.secret(Secret(json))]).write(to: document)
    }

    /// What a secret wraps, as JSON; secrets inside of it are open, too. It is encoded anew with
    /// what stands around it, so that large secrets belong into elements of their own.
    private func json(of secret: some EncodableSecret) throws -> [UInt8] {
        let inner = DocumentEncoder(
            writer: JSONWriter(), types: document.types, maximumDepth: document.maximumDepth,
            nesting: document.nesting, defersNested: true)
        inner.valueDepth = document.valueDepth
        inner.secrets = EncodedSecrets(.open)
        do {
            try secret.encodeValue(into: inner)
            let json = try inner.finish()
            document.types = inner.types
            return json
        } catch {
            let reason = (error as? EncodingFailure)?.reason ?? .refused
            throw document.fail(reason, "A secret cannot be encoded.")
        }
    }
}

extension DocumentEncoder: SecretWriting {
    package func write<Value>(_ secret: Secret<Value>) throws {
        try SecretWriter(document: self).write(secret)
    }
}

/// A secret whose value can be written.
private protocol EncodableSecret {
    /// Writes the value itself.
    func encodeValue(into document: DocumentEncoder) throws
}

extension Secret: EncodableSecret where Value: Encodable {
    fileprivate func encodeValue(into document: DocumentEncoder) throws {
        try document.encodeValue(value)
    }
}
