import Reflection

/// Collections of the standard library that are written by us: arrays for speed, sets and
/// dictionaries so that they are sorted.
protocol EncodableCollection: SendableMetatype {
    /// Writes `value`, which is of this type.
    static func encode<Value>(_ value: Value, into document: DocumentEncoder) throws
}

extension Array: EncodableCollection where Element: Encodable {
    static func encode<Value>(_ value: Value, into document: DocumentEncoder) throws {
        try document.write(value, of: Element.self)
    }
}

extension Set: EncodableCollection where Element: Encodable {
    static func encode<Value>(_ value: Value, into document: DocumentEncoder) throws {
        guard let set = value as? Self else { return }
        try document.write(set)
    }
}

extension Dictionary: EncodableCollection where Key: Encodable, Value: Encodable {
    static func encode<Whole>(_ value: Whole, into document: DocumentEncoder) throws {
        guard let dictionary = value as? Self else { return }
        try document.write(dictionary)
    }
}

/// Collections, written so that equal values are equal bytes.
extension DocumentEncoder {
    /// Writes an array, which is given as a value of its own type, without asking for each element's
    /// traits. It is not looked at as an array where it is what it was: that takes two look-ups of its
    /// type.
    func write<Value, Element: Encodable>(_ value: Value, of type: Element.Type) throws {
        if expected != nil {
            return try FormWriter.write(value, as: .array, to: self) { writer in
                let traits = self.traits(of: type)
                try writer.append(value as? [Element] ?? [], traits.bits) {
                    try encodeValue($0, as: traits)
                }
                return []
            }
        }
        let traits = traits(of: type)
        try encode(value, as: .array) {
            for element in value as? [Element] ?? [] {
                writer.separateElement()
                try encodeValue(element, as: traits)
            }
        }
    }

    /// Writes a collection whose inside `body` writes, where no form is kept.
    private func encode<Value>(
        _ value: Value, as kind: EncodingFrame.Kind, _ body: () throws -> Void
    ) throws {
        guard let common else { return try encodeContainer(kind, body) }
        let source = FormNode.Source(
            type: ObjectIdentifier(Value.self), storage: EqualBits.storage(of: value),
            nesting: nesting, valueDepth: valueDepth)
        if let known = common.find(source) {
            return known.append(to: &writer.bytes, opening: false)
        }
        let start = written
        try encodeContainer(kind, body)
        guard written - start >= FormWriter.minimumByteCount, isSound else { return }
        common.note(source) {
            let inside = FormText(bytes: Array(writer.bytes[(start + 1)..<(written - 1)]))
            return FormNode(
                isObject: kind == .object, pieces: [inside], source: source, value: value)
        }
    }

    // MARK: What has no order of its own

    /// A set as an array in the order of its encoded elements.
    func write<Element: Encodable>(_ set: Set<Element>) throws {
        try writeAnew(set) {
            try set.map(encodeApart).sorted { $0.precedes($1) }
                .map { text in { text.write(to: self) } }
        }
    }

    /// A dictionary as an object in the order of its keys, or, where keys have no text, as the
    /// array of keys and values that the standard library makes, in the order of the keys.
    func write<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        guard JSONOrder.hasText(Key.self) else {
            return try writeAnew(dictionary) {
                try sortedPairs(of: dictionary).flatMap { key, writeValue in
                    [{ key.write(to: self) }, writeValue]
                }
            }
        }
        let traits = traits(of: Value.self)
        if expected != nil, !dictionary.isEmpty {
            let bits = self.traits(of: Key.self).bits
            return try FormWriter.write(dictionary, as: .object, to: self) {
                try $0.append(dictionary, bits, traits.bits) { key, value in
                    writer.append(JSONOrder.text(of: key))
                    writer.bytes.append(UInt8(ascii: ":"))
                    try encodeValue(value, as: traits)
                }
            }
        }
        let entries = Array(dictionary)
        try encode(dictionary, as: .object) {
            for (name, offset) in JSONOrder.sorted(entries.map(\.key)) {
                writer.name(name)
                try encodeValue(entries[offset].value, as: traits)
            }
        }
    }

    /// Writes an array that is not what it was the last time: where forms are kept, an element that
    /// comes to the same text is found by that text.
    private func writeAnew<Value>(
        _ value: Value, _ items: () throws -> [() throws -> Void]
    ) throws {
        guard expected != nil else {
            return try encode(value, as: .array) {
                for item in try items() {
                    writer.separateElement()
                    try item()
                }
            }
        }
        try FormWriter.write(value, as: .array, to: self) { writer in
            for item in try items() { try writer.append(after: nil, item) }
            return []
        }
    }

    /// Writes one value by itself, so that it can be sorted.
    private func encodeApart<Value: Encodable>(_ value: Value) throws -> SortedText {
        let inner = makeInner()
        defer { adopt(inner) }
        try inner.encodeValue(value)
        types = inner.types
        return SortedText(FormText(bytes: try inner.finish(), holes: inner.holes))
    }

    /// The encoded keys of a dictionary with their values, in the order of the keys; those that are
    /// shown alike, in that of their values, and then by the secrets of both.
    private func sortedPairs<Key: Encodable, Value: Encodable>(
        of pairs: [Key: Value]
    ) throws -> [(key: SortedText, writeValue: () throws -> Void)] {
        let items = try pairs.map { (key: try encodeApart($0.key), value: $0.value) }
            .sorted { $0.key.precedes($1.key) }
        let hasTwins = zip(items, items.dropFirst()).contains { $0.key.shown == $1.key.shown }
        guard hasTwins else {
            return items.map { item in (item.key, { try self.encodeValue(item.value) }) }
        }
        return try items.map { (key: $0.key, value: try encodeApart($0.value)) }.sorted {
            let (one, other) = ($0.key, $1.key)
            guard one.shown == other.shown else { return one.precedes(other) }
            guard $0.value.shown == $1.value.shown else { return $0.value.precedes($1.value) }
            return one.precedes(other) || !other.precedes(one) && $0.value.precedes($1.value)
        }.map { item in (item.key, { item.value.write(to: self) }) }
    }
}

/// An element of a set or a key of a dictionary, which stands before others by what is shown of it, and
/// by its secrets where that is the same: they decide only where the order does not show.
private struct SortedText {
    private let text: FormText
    let shown: [UInt8]

    init(_ text: FormText) {
        self.text = text
        shown = text.holes.isEmpty ? text.bytes : text.whole.shown()
    }

    func precedes(_ other: SortedText) -> Bool {
        guard shown == other.shown else { return JSONOrder.precedes(shown, other.shown) }
        guard text.holdsSecrets || other.text.holdsSecrets else { return false }
        let secrets = other.text.whole.shown(opening: true)
        return text.whole.shown(opening: true).lexicographicallyPrecedes(secrets)
    }

    /// Writes the text at the end of a document, which takes its collections and secrets over.
    func write(to document: DocumentEncoder) {
        let bytes = text.bytes
        document.writer.append(raw: bytes.span)
        document.holes += text.holes
    }
}

/// The order of what has none in Swift.
enum JSONOrder {
    /// Keys of the type are the names of members.
    static func hasText<Key>(_ type: Key.Type) -> Bool {
        type == String.self || type == Int.self || type is any CodingKeyRepresentable.Type
    }

    /// The names of keys in their order, each with the offset of its key.
    static func sorted<Key>(_ keys: [Key]) -> [(name: String, offset: Int)] {
        let any: Any = keys
        let integers = any as? [Int]
        let names = any as? [String] ?? keys.map(text)
        return zip(names, names.indices).sorted {
            if let integers { return integers[$0.1] < integers[$1.1] }
            return $0.0 < $1.0
        }
    }

    /// The offsets of keys in their order; nil where two have the same name.
    static func offsets<Key>(of keys: [Key]) -> [Int]? {
        let sorted = sorted(keys)
        guard zip(sorted, sorted.dropFirst()).allSatisfy({ $0.name != $1.name }) else { return nil }
        return sorted.map(\.offset)
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

/// Collections of the standard library that are read by us: arrays for speed, dictionaries
/// because looking each key up would take a search each, sets as a test may want their order changed.
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

extension Set: DecodableCollection where Element: Decodable {
    static func decode(_ document: DocumentDecoder, at place: Place) throws -> Self {
        let elements = try [Element].decode(document, at: place)
        var result = Self(minimumCapacity: elements.count * document.roominess)
        result.formUnion(elements)
        return result
    }
}

extension Dictionary: DecodableCollection where Key: Decodable, Value: Decodable {
    static func decode(_ document: DocumentDecoder, at place: Place) throws -> Self {
        guard let read = keyReader() else { return try Self(from: document.decoder(at: place)) }
        let entry = document.tape.entries[Int(place.index)]
        guard entry.kind == .object else { throw document.mismatch(Self.self, "An object", place) }
        let traits = document.traits(of: Value.self)
        var result = Self(minimumCapacity: Int(entry.count) * document.roominess)
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
