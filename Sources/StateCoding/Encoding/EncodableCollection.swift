/// Collections of the standard library that are written by us: arrays for speed, sets and
/// dictionaries so that they are sorted.
protocol EncodableCollection: SendableMetatype {
    /// Writes `value`, which is of this type.
    static func encode<Value>(_ value: Value, into core: EncodingCore) throws
}

extension Array: EncodableCollection where Element: Encodable {
    static func encode<Value>(_ value: Value, into core: EncodingCore) throws {
        guard let array = value as? Self else { return }
        try core.encodeArray(array)
    }
}

extension Set: EncodableCollection where Element: Encodable {
    static func encode<Value>(_ value: Value, into core: EncodingCore) throws {
        guard let set = value as? Self else { return }
        try core.encodeSorted(set)
    }
}

extension Dictionary: EncodableCollection where Key: Encodable, Value: Encodable {
    static func encode<Whole>(_ value: Whole, into core: EncodingCore) throws {
        guard let dictionary = value as? Self else { return }
        try core.encodeSorted(dictionary)
    }
}
