/// A keyed container over a document's tape.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// What is read at present.
    let source: KeyedSource<Key>

    /// Reads what `source` says at the time.
    init(_ source: KeyedSource<Key>) { self.source = source }

    var document: DocumentDecoder {
        guard let document = source.document else {
            preconditionFailure("A container that somebody holds has a document.")
        }
        return document
    }

    var codingPath: [any CodingKey] { document.codingPath(at: source.place) }

    var allKeys: [Key] { source.role == .actionCase ? caseKeys : memberKeys }

    private var caseKeys: [Key] {
        let document = document
        let segment = document.segment
        guard let found = source.cases(named: segment.name, at: segment.index) else { return [] }
        if document.segmentNext < 0 { document.isPathConsumed = true }
        return found.keys
    }

    private var memberKeys: [Key] {
        guard source.place.index >= 0,
            document.tape.entries[Int(source.place.index)].kind == .object
        else {
            return []
        }
        let object = document.tape.entries[Int(source.place.index)]
        var index = Int(source.place.index) + 1
        var keys: [Key] = []
        for _ in 0..<object.count {
            if let key = Key(stringValue: document.tape.string(at: index)) { keys.append(key) }
            index = Int(document.tape.entries[index + 1].next)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        guard let found = try? find(key, in: document) else { return false }
        return found.index >= 0
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        document.isNull(try place(of: key, in: document))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { try $0.string(at: $1) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try read(key) { try $0.integer(type, at: $1) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { try $0.bool(at: $1) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try read(key) { try $0.double(at: $1) }
    }

    @inline(__always)
    private func read<Value>(
        _ key: Key, _ value: (DocumentDecoder, Place) throws -> Value
    ) throws -> Value {
        let document = document
        return try value(document, place(of: key, in: document))
    }

    // The protocol has a default for these, which throws.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decodeAny(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decodeAny(type, key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decodeAny(type, key)
    }

    @inline(__always)
    private func decodeAny<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        let document = document
        let traits = document.traits(of: type)
        if traits.isActionGroup, isGroup(at: key) { return try group(type, as: traits, key) }
        return try document.decode(type, as: traits, at: place(of: key, in: document))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let document = document
        guard let found = try find(key, in: document), !document.isNull(found) else { return nil }
        return try document.string(at: found)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        let document = document
        guard let found = try find(key, in: document), !document.isNull(found) else { return nil }
        return try document.integer(type, at: found)
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        if source.role == .actionGroup, isGroup(at: key) { return try decode(type, forKey: key) }
        let document = document
        guard let found = try find(key, in: document), !document.isNull(found) else {
            if document.isPosted, document.traits(of: type).isFact {
                try document.refuseFact(at: source.place)
            }
            return nil
        }
        return try decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        guard source.role == .actionCase else {
            return document.container(
                keyedBy: type, at: try place(of: key, in: document), as: .nested)
        }
        let next = document.segmentNext
        let inner = Place(index: source.place.index, depth: source.place.depth + 1, segment: next)
        return document.container(
            keyedBy: type, at: inner, as: next < 0 ? .payload : .actionGroup)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ElementReader(document: document, place: place(of: key, in: document))
    }

    func superDecoder() throws -> any Decoder {
        guard let found = try document.member("super", of: source) else {
            throw document.missing(PathKey(stringValue: "super"), at: source.place)
        }
        return try document.decoder(at: found)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try document.decoder(at: place(of: key, in: document))
    }

    /// A group at this key is a level of the type path, not a value of a payload.
    func isGroup(at key: Key) -> Bool {
        (source.role == .payload || source.role == .actionGroup) && key.stringValue.isUnlabelled
    }

    /// The group at this key: the type path goes on in it.
    func group<Group: Decodable>(
        _ type: Group.Type, as traits: TypeTraits, _ key: Key
    ) throws -> Group {
        guard source.role == .actionGroup, source.place.depth < 64 else {
            throw document.unknownType()
        }
        if traits.isFact { try document.refuseFact(at: source.place) }
        if key.stringValue != "_0" { document.isJoined = true }
        return try Group(from: document.decoder(at: source.place))
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
            return document.missing(key, at: source.place)
        }
        return document.missing(PathKey(stringValue: document.segment.name), at: source.place)
    }

    /// The place of the key's value; nil if it is absent.
    @inline(__always)
    func find(_ key: Key, in document: DocumentDecoder) throws -> Place? {
        let name = key.stringValue
        if source.role == .object { return try document.member(name, of: source) }
        return try value(ofCase: name, in: document)
    }

    @inline(never)
    private func value(ofCase name: String, in document: DocumentDecoder) throws -> Place? {
        guard source.role != .actionCase else { throw document.unknownType() }
        guard name.isUnlabelled else { return try document.member(name, of: source) }
        guard source.role != .actionGroup else { throw document.unknownType() }
        guard isJoined else {
            return try hasSeveral
                ? element(name, of: source.place)
                : source.place.inner(source.place.index)
        }
        guard let joined = try document.member(document.segment.name, of: source) else {
            return nil
        }
        return try hasSeveral ? element(name, of: joined) : joined
    }

    /// The unlabelled values stand in a member with the name of their case, beside the labelled
    /// values of the cases before.
    private var isJoined: Bool { source.role == .payload && document.isJoined }

    /// There are two unlabelled values at least. By itself, for a key that may be nil
    /// costs a generic function a look-up of its type, even where it is not made.
    @inline(never)
    private var hasSeveral: Bool { Key(stringValue: "_1") != nil }

    /// One of several unlabelled values: an element of an array.
    private func element(_ name: String, of place: Place) throws -> Place? {
        guard place.index >= 0, document.tape.entries[Int(place.index)].kind == .array
        else {
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

/// The meaning of the keys of a keyed container that is read.
enum KeyedRole {
    /// The members of an object.
    case object
    /// The values of an enum's case: members, or unlabelled values (see ``StateEncoder``).
    case nested
    /// The same for the payload of an action.
    case payload
    /// The one case that the type path names.
    case actionCase
    /// The values of a case whose last one is a group: the type path goes on, and labelled
    /// values before the group are members of the payload.
    case actionGroup
}

/// What a container reads at present.
class ReaderTarget {
    /// There is one as long as somebody may hold the container.
    final var document: DocumentDecoder?
    fileprivate(set) final var place: Place
    fileprivate(set) final var role: KeyedRole
    /// The entry of the member to look at first, 0 at the beginning: they are mostly asked for in
    /// the order in which they stand.
    final var nextMember = 0

    init(_ document: DocumentDecoder, _ place: Place, _ role: KeyedRole) {
        self.document = document
        self.place = place
        self.role = role
    }

    final func move(to place: Place, of document: DocumentDecoder, as role: KeyedRole) {
        if self.document !== document { self.document = document }
        self.place = place
        self.role = role
        nextMember = 0
    }
}

/// What a container by keys of one type reads at present.
final class KeyedSource<Key: CodingKey>: ReaderTarget {
    /// The key of an enum's case, in the array that decoding an enum asks for.
    final class Case {
        let keys: [Key]
        fileprivate let name: String
        fileprivate let index: Int
        fileprivate let next: Case?

        fileprivate init(_ key: Key, named name: String, at index: Int, before next: Case?) {
            keys = [key]
            self.name = name
            self.index = index
            self.next = next
        }
    }

    /// The cases that actions have named.
    private var firstCase: Case?

    /// The case with this name; nil where there is none.
    ///
    /// - Parameter index: its place among the cases of its group; −1 where it is not known.
    func cases(named name: String, at index: Int) -> Case? {
        var found = firstCase
        while let candidate = found {
            if candidate.index == index, candidate.name == name { return candidate }
            found = candidate.next
        }
        return learnCase(name, index)
    }

    @inline(never)
    private func learnCase(_ name: String, _ index: Int) -> Case? {
        guard let key = Key(stringValue: name) else { return nil }
        let found = Case(key, named: name, at: index, before: firstCase)
        // As many are kept as the group has cases.
        if index >= 0 { firstCase = found }
        return found
    }
}

extension String {
    /// The text is the key that the compiler gives an enum's unlabelled value: `_0`, `_1`, ….
    var isUnlabelled: Bool {
        // Most keys are labels, which begin with another byte.
        guard utf8.first == UInt8(ascii: "_") else { return false }
        let text = utf8Span.span
        guard text.count >= 2 else { return false }
        for index in 1..<text.count {
            guard text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") else {
                return false
            }
        }
        return true
    }
}
