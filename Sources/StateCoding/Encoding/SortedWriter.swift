/// Writes what has no order of its own: sets as arrays, dictionaries as objects or arrays, both
/// sorted, so that equal values are equal bytes.
struct SortedWriter {
    let document: DocumentEncoder

    /// A set as an array in the order of its encoded elements.
    func encode<Element: Encodable>(_ set: Set<Element>) throws {
        if let forms = document.forms, !set.isEmpty {
            return try CollectionFormWriter(document: document, forms: forms).write(set)
        }
        try document.encodeContainer(.array) {
            for item in try set.map({ try encodeApart($0) }).sorted(by: JSONOrder.precedes) {
                document.writer.separateElement()
                document.writer.append(raw: item.span)
            }
        }
    }

    /// A dictionary as an object in the order of its keys, or, where keys have no text, as the
    /// array of keys and values that the standard library makes, in the order of the keys.
    func encode<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        if let forms = document.forms, !dictionary.isEmpty {
            try CollectionFormWriter(document: document, forms: forms).write(dictionary)
        } else if let members = JSONOrder.members(of: dictionary) {
            try encodeMembers(members)
        } else {
            try encodePairs(dictionary)
        }
    }

    /// Writes one value by itself, so that it can be sorted.
    func encodeApart<Value: Encodable>(_ value: Value) throws -> [UInt8] {
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
        try document.encodeContainer(.array) {
            for (key, value) in try sortedPairs(of: pairs) {
                document.writer.separateElement()
                document.writer.append(raw: key.span)
                document.writer.separateElement()
                try document.encodeValue(value)
            }
        }
    }

    /// The encoded keys of a dictionary with their values, in the order of the keys.
    func sortedPairs<Key: Encodable, Value>(
        of pairs: [Key: Value]
    ) throws -> [(key: [UInt8], value: Value)] {
        var items: [(key: [UInt8], value: Value)] = []
        items.reserveCapacity(pairs.count)
        for (key, value) in pairs { items.append((try encodeApart(key), value)) }
        return items.sorted { JSONOrder.precedes($0.key, $1.key) }
    }
}
