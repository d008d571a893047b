/// Collections of the standard library that are written by us: arrays for speed, sets and
/// dictionaries so that they are sorted.
protocol EncodableCollection: SendableMetatype {
    /// Writes `value`, which is of this type.
    static func encode<Value>(_ value: Value, into document: DocumentEncoder) throws
}

extension Array: EncodableCollection where Element: Encodable {
    static func encode<Value>(_ value: Value, into document: DocumentEncoder) throws {
        guard let array = value as? Self else { return }
        try ArrayWriter(document: document).write(array)
    }
}

extension Set: EncodableCollection where Element: Encodable {
    static func encode<Value>(_ value: Value, into document: DocumentEncoder) throws {
        guard let set = value as? Self else { return }
        try SortedWriter(document: document).encode(set)
    }
}

extension Dictionary: EncodableCollection where Key: Encodable, Value: Encodable {
    static func encode<Whole>(_ value: Whole, into document: DocumentEncoder) throws {
        guard let dictionary = value as? Self else { return }
        try SortedWriter(document: document).encode(dictionary)
    }
}
