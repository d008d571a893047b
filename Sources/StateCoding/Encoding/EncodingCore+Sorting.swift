extension EncodingCore {
    /// A set as an array in the order of its encoded elements.
    func encodeSorted<Element: Encodable>(_ set: Set<Element>) throws {
        var items: [[UInt8]] = []
        items.reserveCapacity(set.count)
        try withArray {
            for element in set { items.append(try encodeApart(element)) }
            for item in items.sorted(by: JSONOrder.precedes) {
                writer.separateElement()
                writer.append(raw: item.span)
            }
        }
    }

    /// A dictionary as an object in the order of its keys, or, where keys have no text, as the
    /// array of keys and values that the standard library makes, in the order of the keys.
    func encodeSorted<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        if let strings = dictionary as? [String: Value] {
            try encodeMembers(strings.sorted { $0.key < $1.key })
        } else if let integers = dictionary as? [Int: Value] {
            let members = integers.sorted { $0.key < $1.key }
            try encodeMembers(members.map { (key: $0.key.description, value: $0.value) })
        } else if Key.self is any CodingKeyRepresentable.Type {
            let members = dictionary.map { (key: Self.text(of: $0.key), value: $0.value) }
            try encodeMembers(members.sorted { $0.key < $1.key })
        } else {
            try encodePairs(dictionary)
        }
    }

    private func encodeMembers<Value: Encodable>(_ members: [(key: String, value: Value)]) throws {
        let traits = traits(of: Value.self)
        let outer = level
        guard openBracket(UInt8(ascii: "{"), .object).serial >= 0 else { throw fail(.tooDeep, "") }
        for (key, value) in members {
            writer.appendName(key)
            try encodeValue(value, as: traits)
        }
        closeFrames(to: outer)
    }

    private func encodePairs<Key: Encodable, Value: Encodable>(_ pairs: [Key: Value]) throws {
        var items: [(key: [UInt8], value: Value)] = []
        items.reserveCapacity(pairs.count)
        try withArray {
            for (key, value) in pairs { items.append((try encodeApart(key), value)) }
            for (key, value) in items.sorted(by: { JSONOrder.precedes($0.key, $1.key) }) {
                writer.separateElement()
                writer.append(raw: key.span)
                writer.separateElement()
                try encodeValue(value)
            }
        }
    }

    private func withArray(_ body: () throws -> Void) throws {
        let outer = level
        guard openBracket(UInt8(ascii: "["), .array).serial >= 0 else { throw fail(.tooDeep, "") }
        try body()
        closeFrames(to: outer)
    }

    private static func text<Key>(of key: Key) -> String {
        (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? ""
    }
}

/// The order of encoded values in sorted arrays: numbers by size, all else by bytes.
enum JSONOrder {
    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        if let first = number(left), let second = number(right), first != second {
            return first < second
        }
        return left.lexicographicallyPrecedes(right)
    }

    private static func number(_ bytes: [UInt8]) -> Double? {
        guard let first = bytes.first else { return nil }
        guard first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }
}
