/// Collections of the standard library that are read by us: arrays for speed, dictionaries
/// because looking each key up would take a search each.
protocol DecodableCollection: SendableMetatype {
    /// Reads the value at `place`.
    static func decode(_ document: DocumentDecoder, at place: Place) throws -> Self
}

extension Array: DecodableCollection where Element: Decodable {
    static func decode(_ document: DocumentDecoder, at place: Place) throws -> Self {
        let entry = document.tape.entries[Int(place.index)]
        guard entry.kind == .array else { throw document.mismatch(Self.self, "An array", place) }
        let traits = document.traits(of: Element.self)
        var result: Self = []
        result.reserveCapacity(Int(entry.count))
        var inner = place.inner(place.index + 1)
        for _ in 0..<entry.count {
            result.append(try document.decode(Element.self, as: traits, at: inner))
            inner.index = Int32(truncatingIfNeeded: document.tape.entries[Int(inner.index)].next)
        }
        return result
    }
}

extension Dictionary: DecodableCollection where Key: Decodable, Value: Decodable {
    static func decode(_ document: DocumentDecoder, at place: Place) throws -> Self {
        guard let read = keyReader() else { return try Self(from: document.decoder(at: place)) }
        let entry = document.tape.entries[Int(place.index)]
        guard entry.kind == .object else { throw document.mismatch(Self.self, "An object", place) }
        let traits = document.traits(of: Value.self)
        var result: Self = [:]
        result.reserveCapacity(Int(entry.count))
        var inner = place.inner(place.index + 2)
        for _ in 0..<entry.count {
            guard let key = read(document.tape.string(at: Int(inner.index) - 1)) else {
                throw document.mismatch(Key.self, "A fitting member name", inner)
            }
            result[key] = try document.decode(Value.self, as: traits, at: inner)
            inner.index = Int32(
                truncatingIfNeeded: document.tape.entries[Int(inner.index)].next + 1)
        }
        return result
    }

    /// Makes a key of a member's name; nil where keys have no text.
    private static func keyReader() -> ((String) -> Key?)? {
        if Key.self == String.self { return { $0 as? Key } }
        if Key.self == Int.self { return { Int($0) as? Key } }
        guard let type = Key.self as? any CodingKeyRepresentable.Type else { return nil }
        return { type.init(codingKey: PathKey(stringValue: $0)) as? Key }
    }
}
