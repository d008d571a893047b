package import Redux

/// The JSON of a state's secrets by their places, for a JSON of it in which `"<redacted>"` stands for
/// them. An element that has an id keeps its secrets wherever it stands in its array.
///
///     {"name":"Ada","password":"<redacted>"}      /password → "open sesame"
///     [{"id":7,"pin":"<redacted>"}]               /#7/pin → 1234
package typealias KeptSecrets = [JSONPointer: Secret<[UInt8]>]

extension StateEncoder {
    /// The secrets of a state; of one that cannot be written, none.
    package func secrets(of state: some Encodable) -> KeptSecrets {
        do {
            let form = try form(of: state, after: nil, keepingSecrets: true)
            guard let patch = form.secrets()?.value.operations else { return [:] }
            let values: KeptSecrets = try PatchOperation.list(in: patch.span).reduce(into: [:]) {
                $0[$1.path] = $1.value.map { Secret(Array(patch[$0])) }
            }
            let tape = try JSONTape(parsing: form.bytes(), maximumDepth: maximumDepth)
            return tape.redacted().reduce(into: [:]) { $0[$1.place] = values[$1.pointer] }
        } catch {
            return [:]
        }
    }
}

extension JSONTape {
    private func isRedacted(_ index: Int) -> Bool {
        let (kind, text) = (entries[index].kind, Secret<Never>.redacted)
        guard kind.isString else { return false }
        // A character that is escaped takes six bytes.
        let longest = kind == .escapedString ? 6 * text.utf8.count : text.utf8.count
        return range(at: index).count <= longest + 2 && string(at: index) == text
    }

    /// The entries that read `"<redacted>"`, however it is escaped, with their places as of ``KeptSecrets``.
    func redacted() -> [(entry: Int, pointer: JSONPointer, place: JSONPointer)] {
        var found: [(Int, JSONPointer, JSONPointer)] = []
        let wanted = entries.indices.filter(isRedacted)
        if !wanted.isEmpty { find(wanted[...], in: 0, JSONPointer(), JSONPointer(), &found) }
        return found
    }

    private func find(
        _ wanted: ArraySlice<Int>, in value: Int, _ pointer: JSONPointer, _ place: JSONPointer,
        _ found: inout [(Int, JSONPointer, JSONPointer)]
    ) {
        let (kind, children) = (entries[value].kind, children(of: value))
        guard kind == .object || kind == .array else {
            return found.append((value, pointer, place))
        }
        let ids = kind == .array ? ids(of: children) : [:]
        var rest = wanted
        for (index, child) in children.enumerated() {
            let inside = rest.prefix { $0 < entries[child].next }
            rest = rest.dropFirst(inside.count)
            guard inside.last ?? 0 >= child else { continue }
            let token = kind == .object ? string(at: child - 1) : "\(index)"
            find(
                inside, in: child, pointer.appending(token),
                place.appending(ids[child] ?? token), &found)
        }
    }

    /// The ids of those elements that have one which no other of the array has.
    private func ids(of elements: [Int]) -> [Int: String] {
        let objects = elements.filter { entries[$0].kind == .object }
        let named = Dictionary(grouping: objects) { element in
            member("id", of: element, from: 0).map {
                "#" + String(decoding: bytes[range(at: $0)], as: UTF8.self)
            }
        }
        return named.reduce(into: [:]) { if $1.value.count == 1 { $0[$1.value[0]] = $1.key } }
    }
}

extension ValueDecoder {
    func keptSecret<Value: Decodable>(as type: Value.Type) throws -> Value? {
        guard let secrets = document.secrets, place.index >= 0,
            let kept = secrets[Int(place.index)]
        else { return nil }
        var detail = "No secret stands here to be kept."
        if let json = kept {
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
            return try document.open(value)
        }
        let json = try document.json(of: value)
        try beginValue()
        document.keep(FormNode(secret: json))
    }

    private func redact() throws { try encode(Secret<Never>.redacted) }
}

extension DocumentEncoder {
    /// Writes what a secret wraps; what goes wrong there says nothing of it, nor of where inside.
    fileprivate func open(_ value: some Encodable) throws {
        let start = written
        do {
            try encodeValue(value)
            // The value may have caught it.
            if let failure { throw failure }
        } catch {
            cut(from: start)
            let isLasting = failure != nil
            failure = nil
            let hidden = EncodingFailure(
                reason: (error as? EncodingFailure)?.reason ?? .refused, pointer: pointer,
                detail: Self.secretFailure)
            if isLasting { failure = hidden }
            throw hidden
        }
    }

    private static let secretFailure = "A secret cannot be encoded."

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
            throw fail(reason, Self.secretFailure)
        }
    }
}
