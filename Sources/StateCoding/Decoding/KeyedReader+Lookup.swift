extension KeyedReader {
    /// A group at this key is a level of the type path, not a value of a payload.
    func isGroup(at key: Key) -> Bool {
        (role == .payload || role == .actionGroup) && key.stringValue.isUnlabelled
    }

    /// The group at this key: the type path goes on in it.
    func group<Group: Decodable>(
        _ type: Group.Type, as traits: TypeTraits, _ key: Key
    ) throws -> Group {
        guard role == .actionGroup, place.depth < 64 else { throw UnknownActionType() }
        if traits.isFact { try document.refuseFact(at: place) }
        if key.stringValue != "_0" { document.isJoined = true }
        return try Group(from: document.decoder(at: place))
    }

    /// The place of the key's value; throws if it is absent.
    @inline(__always)
    func place(of key: Key, in document: DocumentDecoder) throws -> Place {
        if let found = try find(key, in: document) { return found }
        throw missing(key)
    }

    @inline(never)
    private func missing(_ key: Key) -> any Error {
        guard isJoined, key.stringValue.isUnlabelled else {
            return document.missing(key, at: place)
        }
        return document.missing(PathKey(stringValue: document.segmentName), at: place)
    }

    /// The place of the key's value; nil if it is absent.
    @inline(__always)
    func find(_ key: Key, in document: DocumentDecoder) throws -> Place? {
        let name = key.stringValue
        if role == .object { return try document.member(name, of: source) }
        return try value(ofCase: name, in: document)
    }

    @inline(never)
    private func value(ofCase name: String, in document: DocumentDecoder) throws -> Place? {
        guard role != .actionCase else { throw UnknownActionType() }
        guard name.isUnlabelled else { return try document.member(name, of: source) }
        guard role != .actionGroup else { throw UnknownActionType() }
        guard isJoined else {
            return try hasSeveral ? element(name, of: place) : place.inner(place.index)
        }
        guard let joined = try document.member(document.segmentName, of: source) else { return nil }
        return try hasSeveral ? element(name, of: joined) : joined
    }

    /// The unlabelled values stand in a member with the name of their case, beside the labelled
    /// values of the cases before.
    private var isJoined: Bool { role == .payload && document.isJoined }

    /// There are two unlabelled values at least. By itself, for a key that may be nil
    /// costs a generic function a look-up of its type, even where it is not made.
    @inline(never)
    private var hasSeveral: Bool { Key(stringValue: "_1") != nil }

    /// One of several unlabelled values: an element of an array.
    private func element(_ name: String, of place: Place) throws -> Place? {
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
}
