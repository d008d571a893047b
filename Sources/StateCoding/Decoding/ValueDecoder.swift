/// The decoder of one value: small enough to need no box.
struct ValueDecoder: Decoder {
    let core: DecodingCore
    let place: Place

    var codingPath: [any CodingKey] { core.codingPath(at: place) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if place.segment >= 0 {
            let (name, next) = core.segment(at: place.segment)
            guard Key(stringValue: name) != nil else { throw UnknownActionType() }
            if next < 0 { core.isPathConsumed = true }
            return KeyedDecodingContainer(
                KeyedReader<Key>(core: core, place: place, role: .actionCase))
        }
        guard place.index >= 0, core.tape.entries[Int(place.index)].kind == .object else {
            throw core.mismatch([String: Any].self, "An object", place)
        }
        return KeyedDecodingContainer(KeyedReader<Key>(core: core, place: place, role: .object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard place.segment < 0 else { throw UnknownActionType() }
        return try ElementReader(core: core, place: place)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueReader(core: core, place: place)
    }
}

/// Signals that the type path names no action.
struct UnknownActionType: Error {}

extension DecodingCore {
    /// The segment of the type path that starts here, and where the next one does; −1 at the end.
    func segment(at start: Int32) -> (name: String, next: Int32) {
        var end = Int(start)
        while end < pathEnd, path[end] != UInt8(ascii: "/") { end += 1 }
        let name = JSONText.string(path.span.extracting(Int(start)..<end), isEscaped: false)
        return (name, end < pathEnd ? Int32(truncatingIfNeeded: end + 1) : -1)
    }
}
