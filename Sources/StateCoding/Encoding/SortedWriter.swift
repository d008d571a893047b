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
            for item in try set.map({ try encodeApart($0) }).sorted(by: { $0.precedes($1) }) {
                document.writer.separateElement()
                item.write(to: document)
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
    func encodeApart<Value: Encodable>(_ value: Value) throws -> FormText {
        let inner = document.makeInner()
        try inner.encodeValue(value)
        document.types = inner.types
        return FormText(bytes: try inner.finish(), holes: inner.secrets.holes)
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
                key.write(to: document)
                document.writer.separateElement()
                try document.encodeValue(value)
            }
        }
    }

    /// The encoded keys of a dictionary with their values, in the order of the keys; those that are
    /// shown alike, in that of their values.
    func sortedPairs<Key: Encodable, Value: Encodable>(
        of pairs: [Key: Value]
    ) throws -> [(key: FormText, value: Value)] {
        var items: [(key: FormText, value: Value)] = []
        items.reserveCapacity(pairs.count)
        for (key, value) in pairs { items.append((try encodeApart(key), value)) }
        items.sort { $0.key.precedes($1.key) }
        var first = 0
        for end in 1..<max(1, items.count + 1) {
            if end < items.count, items[first].key.isShown(like: items[end].key) { continue }
            if end - first > 1 {
                try items.replaceSubrange(first..<end, with: sortedByValue(items[first..<end]))
            }
            first = end
        }
        return items
    }

    /// Keys that are shown alike, by what is shown of their values, then by the secrets of both.
    private func sortedByValue<Value: Encodable>(
        _ items: ArraySlice<(key: FormText, value: Value)>
    ) throws -> [(key: FormText, value: Value)] {
        try items.map { (item: $0, value: try encodeApart($0.value)) }.sorted {
            guard $0.value.isShown(like: $1.value) else { return $0.value.precedes($1.value) }
            return $0.item.key.precedes($1.item.key)
                || !$1.item.key.precedes($0.item.key) && $0.value.precedes($1.value)
        }.map(\.item)
    }
}
