/// The order of what has none in Swift: equal values are equal bytes.
enum JSONOrder {
    /// A dictionary's members in the order of their names; nil where its keys have no text.
    static func members<Key, Value>(
        of dictionary: [Key: Value]
    ) -> [(key: String, value: Value)]? {
        if let strings = dictionary as? [String: Value] {
            return strings.sorted { $0.key < $1.key }
        }
        if let integers = dictionary as? [Int: Value] {
            return integers.sorted { $0.key < $1.key }.map { ($0.key.description, $0.value) }
        }
        guard Key.self is any CodingKeyRepresentable.Type else { return nil }
        let members = dictionary.map { (key: text(of: $0.key), value: $0.value) }
        return members.sorted { $0.key < $1.key }
    }

    /// Keys of the type are the names of members.
    static func hasText<Key>(_ type: Key.Type) -> Bool {
        type == String.self || type == Int.self || type is any CodingKeyRepresentable.Type
    }

    /// The names of keys in their order, each with the offset of its key.
    static func sorted<Key>(_ keys: [Key]) -> (names: [String], offsets: [Int]) {
        let any: Any = keys
        let integers = any as? [Int]
        let names = any as? [String] ?? keys.map(text)
        let offsets = names.indices.sorted {
            if let integers { return integers[$0] < integers[$1] }
            return names[$0] < names[$1]
        }
        return (offsets.map { names[$0] }, offsets)
    }

    /// The name that a key is in an object.
    static func text<Key>(of key: Key) -> String {
        if let text = key as? String { return text }
        return (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? ""
    }

    /// One encoded element of an array stands before another: numbers by size, all else by bytes.
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
