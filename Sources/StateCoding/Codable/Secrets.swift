import Redux

/// The secrets of a state by their places, for a JSON of it in which `"<redacted>"` stands for them.
///
///     {"name":"Ada","password":"<redacted>"}      /password → the password
package final class KeptSecrets {
    /// The beginning of the texts that stand for secrets while they are gathered: nothing else in a
    /// state begins so.
    private let mark = "secret-\(UInt64.random(in: .min ... .max))-"
    private var values: [any Sendable] = []
    private var places: [JSONPointer: Int] = [:]

    /// The text that stands for a secret.
    func placeholder(for secret: any Sendable) -> String {
        values.append(secret)
        return mark + "\(values.count - 1)"
    }

    /// Finds the places of the secrets in the JSON that they were gathered from.
    func locate(in json: [UInt8], maximumDepth: Int) throws(DecodingFailure) {
        guard !values.isEmpty else { return }
        let tape = try JSONTape(parsing: json, maximumDepth: maximumDepth)
        for index in tape.entries.indices where tape.entries[index].kind == .string {
            let text = tape.string(at: index)
            guard text.hasPrefix(mark), let number = Int(text.dropFirst(mark.count)) else {
                continue
            }
            places[tape.pointer(toEntryAt: index)] = number
        }
    }

    /// The secret at a place.
    func find(at place: JSONPointer) -> (any Sendable)? { places[place].map { values[$0] } }
}

extension StateEncoder {
    /// Gathers the secrets of a state; of one that cannot be written, none.
    package func secrets(of state: some Encodable) -> KeptSecrets {
        let secrets = KeptSecrets()
        var output: [UInt8] = []
        do {
            try DocumentEncoder.run(
                appendingTo: &output, maximumDepth: maximumDepth, .gathered(secrets)
            ) { try $0.encodeValue(state) }
            try secrets.locate(in: output, maximumDepth: maximumDepth)
        } catch {
            return KeptSecrets()
        }
        return secrets
    }
}

extension ValueDecoder {
    func keptSecret() throws -> (any Sendable)? {
        guard let secrets = document.secrets, place.index >= 0 else { return nil }
        let tape = document.tape
        guard tape.entries[Int(place.index)].kind == .string,
            tape.string(at: Int(place.index)) == Secret<String>.redacted
        else { return nil }
        if let secret = secrets.find(at: document.pointer(to: place)) { return secret }
        let context = document.context(at: place, "No secret stands here to be kept.")
        throw DecodingError.dataCorrupted(context)
    }
}

/// What an encoder writes for the secrets that it meets.
enum SecretTreatment {
    /// `"<redacted>"` stands for each.
    case hidden
    /// A text stands for each by which it is found again.
    case gathered(KeptSecrets)
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
        switch document.secrets {
        case .hidden: try redact()
        case .gathered(let kept): try encode(kept.placeholder(for: secret.value))
        case .kept:
            guard let secret = secret as? any EncodableSecret else { return try redact() }
            let json = try document.json(of: secret)
            try beginValue()
            document.keep(FormNode(secret: json))
        case .open:
            guard let secret = secret as? any EncodableSecret else { return try redact() }
            try beginValue()
            try secret.encodeValue(into: document)
        }
    }

    private func redact() throws { try encode(Secret<Never>.redacted) }
}

extension DocumentEncoder {
    /// What a secret wraps, as JSON; secrets inside of it are open, too. It is encoded anew with
    /// what stands around it, so that large secrets belong into elements of their own.
    fileprivate func json(of secret: some EncodableSecret) throws -> [UInt8] {
        let inner = DocumentEncoder(
            types: types, maximumDepth: maximumDepth, nesting: nesting, defersNested: true)
        inner.valueDepth = valueDepth
        inner.secrets = .open
        do {
            try secret.encodeValue(into: inner)
            let json = try inner.finish()
            types = inner.types
            return json
        } catch {
            let reason = (error as? EncodingFailure)?.reason ?? .refused
            throw fail(reason, "A secret cannot be encoded.")
        }
    }
}

/// A secret whose value can be written.
protocol EncodableSecret {
    /// Writes the value itself.
    func encodeValue(into document: DocumentEncoder) throws
}

extension Secret: EncodableSecret where Value: Encodable {
    func encodeValue(into document: DocumentEncoder) throws {
        try document.encodeValue(value)
    }
}
