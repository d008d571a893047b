extension KeyedReader {
    /// This key's value is the whole payload: the only unlabelled one.
    func isWhole(_ key: Key) -> Bool {
        key.stringValue == "_0" && !hasSeveral
    }

    /// The place of the key's value; throws if it is absent.
    func place(of key: Key) throws -> Place {
        if let found = try find(key) { return found }
        throw document.missing(key, at: place)
    }

    /// The place of the key's value; nil if it is absent.
    @inline(__always)
    func find(_ key: Key) throws -> Place? {
        let name = key.stringValue
        if role == .object { return try member(name) }
        return try value(ofCase: name)
    }

    @inline(never)
    private func value(ofCase name: String) throws -> Place? {
        guard role == .nested || role == .payload else { throw UnknownActionType() }
        guard name.isUnlabelled else { return try member(name) }
        return try hasSeveral ? element(name) : place.inner(place.index)
    }

    /// There are two unlabelled values at least. By itself, for a key that may be nil
    /// costs a generic function a look-up of its type, even where it is not made.
    @inline(never)
    private var hasSeveral: Bool { Key(stringValue: "_1") != nil }

    /// One of several unlabelled values: an element of an array.
    private func element(_ name: String) throws -> Place? {
        guard place.index >= 0, document.tape.entries[Int(place.index)].kind == .array else {
            throw document.mismatch([Any].self, "An array", place)
        }
        let count = Int(document.tape.entries[Int(place.index)].count)
        guard count == 0 || Key(stringValue: "_\(count - 1)") != nil else {
            throw document.mismatch([Any].self, "A shorter array", place)
        }
        guard let position = Int(name.dropFirst()), position < count else {
            throw document.mismatch([Any].self, "A longer array", place)
        }
        var index = Int(place.index) + 1
        for _ in 0..<position { index = Int(document.tape.entries[index].next) }
        return place.inner(Int32(truncatingIfNeeded: index))
    }

    /// The member of an object; nil if it, or the payload, is absent.
    func member(_ name: String) throws -> Place? {
        guard place.index >= 0 else { return nil }
        let object = Int(place.index)
        let entry = document.tape.entries[object]
        guard entry.kind == .object else {
            // The type that an error names where an object is missing, as in JSONDecoder; no value.
            throw document.mismatch([String: Any].self, "An object", place)
        }
        let isLarge = entry.count > 8
        let hint = isLarge ? document.hints[object] ?? 0 : 0
        guard let value = document.tape.member(name, of: object, from: hint) else { return nil }
        if isLarge { document.hints[object] = Int(document.tape.entries[value].next) }
        return place.inner(Int32(truncatingIfNeeded: value))
    }
}
