/// The decoder of one value: small enough to need no box.
struct ValueDecoder: Decoder {
    let core: DecodingCore
    let place: Place

    var codingPath: [any CodingKey] { core.codingPath(at: place) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if place.segment >= 0 {
            core.enterSegment(at: place.segment)
            return KeyedDecodingContainer(
                KeyedReader<Key>(core: core, place: place, role: .actionCase))
        }
        guard place.index >= 0, core.tape.entries[Int(place.index)].kind == .object else {
            // The type that an error names where an object is missing, as in JSONDecoder; no value.
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
    /// Looks at the segment of the type path that starts here.
    func enterSegment(at start: Int32) {
        var end = Int(start)
        while end < pathEnd, path[end] != UInt8(ascii: "/") { end += 1 }
        let path = path
        segmentName = JSONText.string(path.span.extracting(Int(start)..<end), isEscaped: false)
        segmentNext = end < pathEnd ? Int32(truncatingIfNeeded: end + 1) : -1
    }
}
