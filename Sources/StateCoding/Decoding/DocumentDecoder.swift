#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of decoding that all decoders and containers of one document share.
final class DocumentDecoder {
    let tape: JSONTape
    let maximumDepth: Int
    /// A client posted the document: it holds nothing that only the server says.
    let isPosted: Bool
    /// The secrets that `"<redacted>"` keeps, where a state is set by hand.
    var secrets: KeptSecrets?
    /// Containers for one object after the other, until the document is decoded; then whoever has kept a
    /// decoder has nothing in common with the next document.
    private(set) var readers: ReaderPool?
    private var types: TypeTable?
    /// The types of actions, where one is decoded.
    var tree: ActionTree?
    /// The bytes that hold the type path of the action being decoded, and where it lies in them.
    var path: [UInt8] = []
    var pathStart = 0
    var pathEnd = 0
    /// The segment of the type path last looked at, and where the next one starts; −1 at the end.
    var segmentName = ""
    /// The place of its case among those of its group; −1 where none is listed.
    var segmentIndex = -1
    var segmentNext: Int32 = -1
    /// The number of the type that ends with that segment; −1 where none is listed.
    var typeNumber = -1
    /// The last segment of the type path named a case.
    var isPathConsumed = false
    /// A group on the type path stands beside labelled values: the payload is theirs as well.
    var isJoined = false
    /// The envelope of the action being decoded.
    var envelope = 0

    init(
        tape: JSONTape, maximumDepth: Int, isPosted: Bool = false, readers: ReaderPool? = nil
    ) {
        self.tape = tape
        self.maximumDepth = maximumDepth
        self.isPosted = isPosted
        self.readers = readers
    }

    /// The document is decoded: containers are let go, or go on to the next one.
    func releaseReaders() {
        readers?.sweep()
        readers = nil
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
        guard Int(place.depth) < maximumDepth * 2 + 8 else {
            let context = DecodingError.Context(
                codingPath: codingPath(at: place), debugDescription: "Values nest too deep.")
            throw DecodingError.dataCorrupted(context)
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
            case .string: try string(at: place) as? Value
            case .integer: try integer(Int.self, at: place) as? Value
            case .boolean: try bool(at: place) as? Value
            case .double: try double(at: place) as? Value
            case .date: try date(at: place) as? Value
            case .url: try url(at: place) as? Value
            case .data: try data(at: place) as? Value
            case .decimal: try decimal(at: place) as? Value
            case .collection: try traits.readable?.decode(self, at: place) as? Value
            }
        return try value ?? Value(from: decoder(at: place))
    }

    /// Throws if a client posted what is asked for here, which only the server says.
    @inline(never)
    func refuseFact(at place: Place) throws {
        guard isPosted else { return }
        throw FactRefused(pointer: pointer(to: place))
    }

    /// Looks at the segment of the type path that starts here; throws where a client has posted one
    /// that no case has.
    ///
    /// The name is the case's own: a key compares texts, and two that are equal, in two normal forms
    /// of Unicode, may be other bytes. A journal may hold names of before that a type still decodes.
    func enterSegment(at start: Int32) throws {
        precondition(Int(start) >= pathStart, "A segment lies within its path.")
        let path = path
        let text = path.span.extracting(pathStart..<pathEnd)
        let offset = Int(start) - pathStart
        var next: Int
        if let segment = tree?.segment(of: text, at: offset) {
            (segmentName, segmentIndex, next, typeNumber) = segment
        } else {
            guard !isPosted else { throw UnknownActionType() }
            next = offset
            while next < text.count, text[next] != UInt8(ascii: "/") { next += 1 }
            segmentName = JSONText.string(text.extracting(offset..<next), isEscaped: false)
            next += 1
            segmentIndex = -1
            typeNumber = -1
        }
        segmentNext = next <= text.count ? Int32(truncatingIfNeeded: pathStart + next) : -1
    }

    /// The value at `place` is `null` or absent.
    func isNull(_ place: Place) -> Bool {
        place.index < 0 || tape.entries[Int(place.index)].kind == .null
    }
}

/// The place that a decoder reads.
struct Place {
    /// The value's entry on the tape; −1 for a payload that is absent.
    var index: Int32
    /// The number of values that are being decoded inside each other.
    var depth: Int32
    /// The offset of the next segment of the type path; −1 outside of it.
    var segment: Int32 = -1

    /// A place inside this one.
    func inner(_ index: Int32) -> Place { Place(index: index, depth: depth + 1) }
}
