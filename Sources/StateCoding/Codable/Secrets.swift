package import Redux

/// The JSON of a state's secrets by their places, for a JSON of it in which `"<redacted>"` stands for
/// them.
///
///     {"name":"Ada","password":"<redacted>"}      /password → "open sesame"
package typealias KeptSecrets = [JSONPointer: Secret<[UInt8]>]

extension StateEncoder {
    /// The secrets of a state; of one that cannot be written, none.
    package func secrets(of state: some Encodable) -> KeptSecrets {
        do {
            let form = try form(of: state, after: nil, keepingSecrets: true)
            guard let patch = form.secrets()?.value.operations else { return [:] }
            let list = try PatchOperation.list(in: patch.span)
            return list.reduce(into: [:]) { secrets, operation in
                secrets[operation.path] = operation.value.map { Secret(Array(patch[$0])) }
            }
        } catch {
            return [:]
        }
    }
}

extension ValueDecoder {
    func keptSecret<Value: Decodable>(as type: Value.Type) throws -> Value? {
        guard let secrets = document.secrets, place.index >= 0 else { return nil }
        let tape = document.tape
        guard tape.entries[Int(place.index)].kind == .string,
            tape.string(at: Int(place.index)) == Secret<Never>.redacted
        else { return nil }
        var detail = "No secret stands here to be kept."
        if let json = secrets[document.pointer(to: place)] {
            if let value = try? StateDecoder().decode(type, from: json.value) { return value }
            detail = "Another secret stands here, or one that cannot be read from its own JSON."
        }
        throw DecodingError.dataCorrupted(document.context(at: place, detail))
    }
}

/// What an encoder writes for the secrets that it meets.
enum SecretTreatment {
    /// `"<redacted>"` stands for each.
    case hidden
    /// A placeholder stands for each, as in a ``FormText``, and its own JSON beside the text.
    case kept
    /// Each is written as what it wraps: inside of a secret.
    case open
}

extension ValueEncoder: SecretWriting {
    /// Writes what stands for a secret: `"<redacted>"` for each of a type that is not `Encodable`,
    /// as that has no JSON.
    ///
    /// - Throws: a failure that says nothing of what a secret is.
    package func write<Value>(_ secret: Secret<Value>) throws {
        guard document.secrets != .hidden, let value = secret.value as? any Encodable else {
            return try redact()
        }
        if document.secrets == .open {
            try beginValue()
            return try document.encodeValue(value)
        }
        let json = try document.json(of: value)
        try beginValue()
        document.keep(FormNode(secret: json))
    }

    private func redact() throws { try encode(Secret<Never>.redacted) }
}

extension DocumentEncoder {
    /// What a secret wraps, as JSON; secrets inside of it are open, too. It is encoded anew with
    /// what stands around it, so that large secrets belong into elements of their own.
    fileprivate func json(of value: some Encodable) throws -> [UInt8] {
        let inner = DocumentEncoder(
            types: types, maximumDepth: maximumDepth, nesting: nesting, defersNested: true)
        inner.valueDepth = valueDepth
        inner.secrets = .open
        do {
            try inner.encodeValue(value)
            let json = try inner.finish()
            types = inner.types
            return json
        } catch {
            let reason = (error as? EncodingFailure)?.reason ?? .refused
            throw fail(reason, "A secret cannot be encoded.")
        }
    }
}
