/// Writes what has no order of its own: sets as arrays, dictionaries as objects or arrays, both
/// sorted, so that equal values are equal bytes.
struct SortedWriter {
    let document: DocumentEncoder

    /// A set as an array in the order of its encoded elements.
    func encode<Element: Encodable>(_ set: Set<Element>) throws {
        var items: [[UInt8]] = []
        items.reserveCapacity(set.count)
        try document.encodeContainer(.array) {
            for element in set { items.append(try encodeApart(element)) }
            for item in items.sorted(by: JSONOrder.precedes) {
                document.writer.separateElement()
                document.writer.append(raw: item.span)
            }
        }
    }

    /// A dictionary as an object in the order of its keys, or, where keys have no text, as the
    /// array of keys and values that the standard library makes, in the order of the keys.
    func encode<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        if let members = JSONOrder.members(of: dictionary) {
            try encodeMembers(members)
        } else {
            try encodePairs(dictionary)
        }
    }

    /// Writes one value by itself, so that it can be sorted.
    private func encodeApart<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        let inner = document.makeInner()
        try inner.encodeValue(value)
        document.types = inner.types
        return try inner.finish()
    }

    private func encodeMembers<Value: Encodable>(_ members: [(key: String, value: Value)]) throws {
        let traits = document.traits(of: Value.self)
        try document.encodeContainer(.object) {
            for (key, value) in members {
                document.writer.appendName(key)
                try document.encodeValue(value, as: traits)
            }
        }
    }

    private func encodePairs<Key: Encodable, Value: Encodable>(_ pairs: [Key: Value]) throws {
        var items: [(key: [UInt8], value: Value)] = []
        items.reserveCapacity(pairs.count)
        try document.encodeContainer(.array) {
            for (key, value) in pairs { items.append((try encodeApart(key), value)) }
            for (key, value) in items.sorted(by: { JSONOrder.precedes($0.key, $1.key) }) {
                document.writer.separateElement()
                document.writer.append(raw: key.span)
                document.writer.separateElement()
                try document.encodeValue(value)
            }
        }
    }
}
