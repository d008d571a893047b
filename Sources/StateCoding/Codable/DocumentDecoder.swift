import Bytes
import Redux
import Reflection

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of decoding that all decoders and containers of one document share.
@usableFromInline
final class DocumentDecoder {
    let tape: JSONTape
    let maximumDepth: Int
    /// See `StateDecoder.roominess`.
    let roominess: Int
    /// A client posted the document: it holds nothing that only the server says.
    let isPosted: Bool
    /// The secrets that `"<redacted>"` keeps, where a state is set by hand, by its entries; nil in it: there
    /// is none to keep.
    var secrets: [Int: Secret<[UInt8]>?]?
    /// Containers for one object after the other, until the document is decoded; then whoever has kept a
    /// decoder has nothing in common with the next document.
    private var readers: ContainerPool?
    private var types: TypeTable?
    /// The types of actions, where one is decoded.
    var tree: ActionTree?
    /// The bytes that hold the type path of the action being decoded, and where it lies in them.
    var path: [UInt8]
    var pathStart: Int
    var pathEnd: Int
    /// The segment of the type path last looked at, and where the next one starts; −1 at the end.
    var segment: ActionTree.Segment
    var segmentNext: Int32
    /// The action that the type path names is a fact; nil where it names none.
    var isFact: Bool?
    /// The last segment of the type path named a case.
    var isPathConsumed: Bool
    /// A group on the type path stands beside labelled values: the payload is theirs as well.
    var isJoined: Bool
    /// The way to where something was wrong last: a type may try one thing after the other at each element.
    private var way = JSONTape.Way()
    /// The envelope of the action being decoded.
    var envelope: Int

    init(
        tape: JSONTape, maximumDepth: Int, roominess: Int = 1, isPosted: Bool = false,
        readers: ContainerPool? = nil
    ) {
        self.tape = tape
        self.maximumDepth = maximumDepth
        self.roominess = roominess
        self.isPosted = isPosted
        self.readers = readers
        path = []
        pathStart = 0
        pathEnd = 0
        segment = .none
        segmentNext = -1
        isPathConsumed = false
        isJoined = false
        envelope = 0
    }

    /// The document is decoded: containers are let go, or go on to the next one.
    func releaseReaders() {
        guard let readers else { return }
        self.readers = nil
        readers.sweep(ReaderTarget.self) { $0.document = nil }
    }

    /// The traits of a type.
    func traits<Value>(of type: Value.Type) -> TypeTraits {
        let id = ObjectIdentifier(type)
        if let traits = types?.traits(of: id) { return traits }
        var table = types ?? TypeTable.known
        let traits = table.traits(of: id) ?? table.learn(type)
        types = table
        return traits
    }

    /// The decoder of the value at `place`.
    func decoder(at place: Place) throws -> ValueDecoder {
        guard (Int(place.depth) - 8) >> 1 < maximumDepth else {
            throw DecodingError.dataCorrupted(context(at: place, "Values nest too deep."))
        }
        return ValueDecoder(document: self, place: place)
    }

    /// Reads a value of any type.
    func decode<Value: Decodable>(_ type: Value.Type, at place: Place) throws -> Value {
        try decode(type, as: traits(of: type), at: place)
    }

    /// Reads a value of a type whose traits are known.
    func decode<Value: Decodable>(
        _ type: Value.Type, as traits: TypeTraits, at place: Place
    ) throws -> Value {
        guard place.index >= 0 else { throw missing(at: place) }
        if traits.isFact { try refuseFact(at: place) }
        guard traits.form == .own else { return try decodeKnown(type, as: traits, at: place) }
        return try Value(from: decoder(at: place))
    }

    /// Reads a value of a type whose form is known, unless it has to be read by the type after all.
    ///
    /// By itself, as the many casts cost a generic function look-ups of types, even where none is made.
    @inline(never)
    private func decodeKnown<Value: Decodable>(
        _ type: Value.Type, as traits: TypeTraits, at place: Place
    ) throws -> Value {
        let value: Value? =
            switch traits.form {
            case .own: nil
            case .otherInteger:
                try (type as? any FixedWidthInteger.Type).map { try integer($0, at: place) }
                    as? Value
            case .float: try value(at: place, "A number") { tape.float(at: $0) } as? Value
            case .string: try string(at: place) as? Value
            case .integer: try integer(Int.self, at: place) as? Value
            case .boolean: try bool(at: place) as? Value
            case .double: try double(at: place) as? Value
            case .date:
                try parsed(at: place, "A date like 2026-01-31T12:00:00.000Z") {
                    CalendarDate(parsing: $0)?.date
                } as? Value
            case .url: try parsed(at: place, "A URL") { URL(string: $0) } as? Value
            case .data: try parsed(at: place, "Base64 text") { Data(base64Encoded: $0) } as? Value
            case .decimal: try value(at: place, "A number") { tape.decimal(at: $0) } as? Value
            case .collection: try traits.readable?.decode(self, at: place) as? Value
            }
        return try value ?? Value(from: decoder(at: place))
    }

    /// Throws if a client posted what is asked for here, which only the server says.
    @inline(never)
    func refuseFact(at place: Place) throws {
        guard isPosted else { return }
        throw factNotAllowed(at: pointer(to: place))
    }

    /// Looks at the segment of the type path that starts here; throws where a client has posted one
    /// that no case has.
    ///
    /// The name is the case's own: a key compares texts, and two that are equal, in two normal forms
    /// of Unicode, may be other bytes. A journal may hold names of before that a type still decodes.
    func enterSegment(at start: Int32) throws {
        let path = path
        let text = path.span.extracting(pathStart..<pathEnd)
        let offset = Int(start) - pathStart
        var next: Int
        if let tree, let found = tree.segment(of: text, at: offset) {
            segment = tree.segments[found.place]
            next = found.next
        } else {
            guard !isPosted else { throw unknownType() }
            next = offset
            while next < text.count, text[next] != UInt8(ascii: "/") { next += 1 }
            segment = ActionTree.Segment(
                name: JSONText.string(text.extracting(offset..<next), isEscaped: false))
            next += 1
        }
        segmentNext = next <= text.count ? Int32(truncatingIfNeeded: pathStart + next) : -1
    }

    /// The value at `place` is `null` or absent.
    func isNull(_ place: Place) -> Bool {
        place.index < 0 || tape.entries[Int(place.index)].kind == .null
    }

    /// A container by keys over what stands at `place`.
    func container<Key>(
        keyedBy keys: Key.Type, at place: Place, as role: KeyedRole
    ) -> KeyedDecodingContainer<Key> {
        guard let readers else {
            return KeyedDecodingContainer(KeyedReader(KeyedSource<Key>(self, place, role)))
        }
        if let number = readers.find(ObjectIdentifier(keys)) {
            readers.target(number, as: ReaderTarget.self).move(to: place, of: self, as: role)
            return readers.decodingContainer(number, keyedBy: keys)
        }
        return makeContainer(KeyedSource<Key>(self, place, role), in: readers)
    }

    /// By itself, as a variable of the container's type has that looked up even where it is not used.
    @inline(never)
    private func makeContainer<Key>(
        _ source: KeyedSource<Key>, in readers: ContainerPool
    ) -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(KeyedReader(source))
        if readers.keepsNext() { readers.keep(container, source) }
        return container
    }

    /// The place of a member of the object that a container reads; nil if the member, or the payload,
    /// is absent.
    func member(_ name: String, of source: ReaderTarget) throws -> Place? {
        let place = source.place
        guard place.index >= 0 else { return nil }
        let object = Int(place.index)
        guard tape.entries[object].kind == .object else {
            // The type that an error names where an object is missing, as in JSONDecoder; no value.
            throw mismatch([String: Any].self, "An object", place)
        }
        guard let value = tape.member(name, of: object, from: source.nextMember) else { return nil }
        source.nextMember = Int(tape.entries[value].next)
        return place.inner(Int32(truncatingIfNeeded: value))
    }

    /// The value that `read` makes of an entry; an error that says what is expected where it makes none.
    @inline(__always)
    private func value<Value>(
        at place: Place, _ expected: @autoclosure () -> String, _ read: (Int) -> Value?
    ) throws -> Value {
        guard place.index >= 0 else { throw missing(at: place) }
        guard let value = read(Int(place.index)) else {
            throw mismatch(Value.self, expected(), place)
        }
        return value
    }

    func string(at place: Place) throws -> String {
        try value(at: place, "A string") { index in
            tape.entries[index].kind.isString ? tape.string(at: index) : nil
        }
    }

    func bool(at place: Place) throws -> Bool {
        try value(at: place, "true or false") { tape.bool(at: $0) }
    }

    func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type, at place: Place
    ) throws -> Integer {
        try value(
            at: place,
            "An integer" + (Integer.bitWidth > 64 ? "" : " from \(Integer.min) to \(Integer.max)")
        ) { tape.integer(at: $0, type) }
    }

    func double(at place: Place) throws -> Double {
        try value(at: place, "A number") { tape.double(at: $0) }
    }

    /// What a string stands for.
    private func parsed<Value>(
        at place: Place, _ expected: String, _ parse: (String) -> Value?
    ) throws -> Value {
        let text = try string(at: place)
        return try value(at: place, expected) { _ in parse(text) }
    }

    /// The error that a type's `init(from:)` threw, as it is shown to clients.
    func failure(_ error: any Error) -> DecodingFailure {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let found)?, .valueNotFound(_, let found)?,
                .dataCorrupted(let found)?, .keyNotFound(_, let found)?:
                found
            default: nil
            }
        let path = context?.codingPath ?? []
        var pointer = JSONPointer(tokens: path.map { $0.intValue?.description ?? $0.stringValue })
        if case .keyNotFound(let key, _)? = error as? DecodingError, !key.stringValue.isUnlabelled {
            pointer.tokens.append(key.stringValue)
        }
        var detail = context?.debugDescription ?? "The value was refused."
        // The standard library's texts, of enums of raw values and of ranges, name types.
        if detail.hasPrefix("Cannot initialize ") {
            detail = "None of the values that may stand here."
        }
        let bytes = tape.bytes
        let offset = pointer.range(in: bytes.span)?.lowerBound ?? 0
        return DecodingFailure(reason: .shape, pointer: pointer, offset: offset, detail: detail)
    }

    /// The way to a place, as keys.
    func codingPath(at place: Place) -> [any CodingKey] {
        guard place.index >= 0 else { return pointer(to: place).tokens.map(PathKey.init) }
        tape.lead(&way, to: Int(place.index))
        return way.tokens.map(PathKey.init)
    }

    /// The way to a place; to the payload where that is absent.
    func pointer(to place: Place) -> JSONPointer {
        place.index < 0
            ? tape.pointer(toEntryAt: envelope).appending("payload")
            : tape.pointer(toEntryAt: Int(place.index))
    }

    /// Says what is wrong at a place.
    func context(at place: Place, _ detail: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath(at: place), debugDescription: detail)
    }

    /// The error for a value of another kind.
    func mismatch<Value>(_ type: Value.Type, _ expected: String, _ place: Place) -> DecodingError {
        .typeMismatch(type, context(at: place, "\(expected) is expected here."))
    }

    /// The error for a payload that is absent.
    func missing(at place: Place) -> DecodingError {
        .dataCorrupted(context(at: place, "A value is missing here."))
    }

    /// The error for a member that is absent.
    func missing(_ key: some CodingKey, at place: Place) -> DecodingError {
        .keyNotFound(key, context(at: place, "The member \(key.stringValue) is missing."))
    }
}

/// A token of a path, as a key.
struct PathKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}

/// The place that a decoder reads.
struct Place {
    /// The value's entry on the tape; −1 for a payload that is absent.
    var index: Int32
    /// The number of values that are being decoded inside each other.
    var depth: Int32
    /// The offset of the next segment of the type path; −1 outside of it.
    var segment: Int32

    /// A place inside this one.
    func inner(_ index: Int32) -> Place { Place(index: index, depth: depth + 1, segment: -1) }
}
