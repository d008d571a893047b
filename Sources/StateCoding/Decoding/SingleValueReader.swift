/// A single-value container over a document's tape: where all scalars end up.
struct SingleValueReader: SingleValueDecodingContainer {
    let document: DocumentDecoder
    let place: Place

    var codingPath: [any CodingKey] { document.codingPath(at: place) }

    func decodeNil() -> Bool { place.segment < 0 && document.isNull(place) }

    /// A string; an action's enum with string raw values finds its case by it.
    func decode(_ type: String.Type) throws -> String {
        guard place.segment >= 0 else { return try document.string(at: place) }
        try document.enterSegment(at: place.segment)
        guard document.segmentNext < 0 else { throw UnknownActionType() }
        document.isPathConsumed = true
        return document.segmentName
    }

    func decode(_ type: Bool.Type) throws -> Bool { try document.bool(at: value()) }
    func decode(_ type: Double.Type) throws -> Double { try document.double(at: value()) }
    func decode(_ type: Float.Type) throws -> Float { try document.float(at: value()) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if place.segment >= 0 {
            if document.traits(of: type).isFact { try document.refuseFact(at: place) }
            var inner = place
            inner.depth += 1
            return try Value(from: document.decoder(at: inner))
        }
        return try document.decode(type, at: place.inner(place.index))
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        try document.integer(type, at: value())
    }

    private func value() throws -> Place {
        guard place.segment < 0 else { throw UnknownActionType() }
        return place
    }
}
