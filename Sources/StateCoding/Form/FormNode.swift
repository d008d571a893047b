import Bytes

/// A collection that is kept by itself: its elements or members in pieces, and the value that they
/// were encoded from.
final class FormNode {
    /// The value of a node, by which its next encoding finds what has changed.
    struct Source {
        /// The array, set or dictionary.
        let value: Any
        /// Its type.
        let type: ObjectIdentifier
        /// The depth at which it was encoded.
        let place: EncodingPlace
        /// For each member of a dictionary, or element of a set, in the order of the text, its offset
        /// in the order of iteration; empty where that is not known.
        let order: [Int]
    }

    /// The node is an object, and its elements are members; else it is an array.
    let isObject: Bool
    let pieces: [FormPiece]
    /// The number of elements before each piece.
    let starts: [Int]
    /// The number of elements.
    let count: Int
    /// The number of bytes that are shown, brackets included.
    let byteCount: Int
    /// A secret stands in one of its elements.
    let holdsSecrets: Bool
    /// The memory that it takes: its text, the ends of its elements, and as much for its value as
    /// the text is long.
    let heldByteCount: Int
    /// Nil where the node was read from a text.
    let source: Source?

    init(isObject: Bool, pieces: [FormPiece], source: Source?) {
        self.isObject = isObject
        self.pieces = pieces
        self.source = source
        var (count, byteCount, held) = (0, 2 + max(0, pieces.count - 1), 0)
        var holdsSecrets = false
        var starts: [Int] = []
        starts.reserveCapacity(pieces.count)
        for piece in pieces {
            starts.append(count)
            count += piece.count
            byteCount += piece.byteCount
            held += piece.heldByteCount
            holdsSecrets = holdsSecrets || piece.holdsSecrets
        }
        self.starts = starts
        self.count = count
        self.byteCount = byteCount
        self.holdsSecrets = holdsSecrets
        heldByteCount = held + byteCount + (pieces.count + (source?.order.count ?? 0)) * 16 + 128
    }

    /// The bracket that it begins with.
    var opening: UInt8 { isObject ? UInt8(ascii: "{") : UInt8(ascii: "[") }

    /// The bracket that it ends with.
    var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    /// Appends its bytes; secrets read `"<redacted>"`, unless they are opened.
    func append(to output: inout [UInt8], opening secrets: Bool) {
        output.append(opening)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            let text = piece.text
            text.append(0..<text.bytes.count, firstHole: 0, to: &output, opening: secrets)
        }
        output.append(closing)
    }

    /// The piece in which an element stands, and the element's place there.
    func locate(_ element: Int) -> ElementPlace {
        precondition(element >= 0 && element < count, "The element is one of the collection.")
        var (low, high) = (0, pieces.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= element { low = middle } else { high = middle }
        }
        return ElementPlace(piece: low, offset: element - starts[low])
    }

    /// One element or member.
    subscript(element: Int) -> FormSlice {
        let place = locate(element)
        return pieces[place.piece][place.offset]
    }

    /// Both are the same text.
    func isEqual(to other: FormNode) -> Bool {
        guard isObject == other.isObject, count == other.count, byteCount == other.byteCount else {
            return false
        }
        return Self.equalCount(self, from: 0, other, from: 0, limit: count) == count
    }

    /// The number of elements from two places on that are equal, at most so many; pieces that both
    /// share are passed over.
    static func equalCount(
        _ old: FormNode, from start: Int, _ new: FormNode, from otherStart: Int, limit: Int
    ) -> Int {
        var count = 0
        while count < limit {
            let (here, there) = (old.locate(start + count), new.locate(otherStart + count))
            let (one, other) = (old.pieces[here.piece], new.pieces[there.piece])
            if one === other, here.offset == there.offset {
                count += one.count - here.offset
            } else {
                guard one.isEqual(at: here.offset, to: other, at: there.offset) else { break }
                count += 1
            }
        }
        return min(count, limit)
    }

    /// The same from the ends on.
    static func equalTailCount(_ old: FormNode, _ new: FormNode, limit: Int) -> Int {
        var count = 0
        while count < limit {
            let here = old.locate(old.count - 1 - count)
            let there = new.locate(new.count - 1 - count)
            let (one, other) = (old.pieces[here.piece], new.pieces[there.piece])
            if one === other, here.offset == there.offset {
                count += here.offset + 1
            } else {
                guard one.isEqual(at: here.offset, to: other, at: there.offset) else { break }
                count += 1
            }
        }
        return min(count, limit)
    }
}

/// The place of an element within the pieces of a node.
struct ElementPlace {
    var piece: Int
    var offset: Int
}

/// Neighbouring elements of an array, or members of an object, as text: `{"id":1},{"id":2}`.
///
/// A piece never changes, and the forms of many states share it.
final class FormPiece {
    /// A piece ends where it has so many elements or so many bytes.
    static let elementLimit = 64
    static let byteLimit = 16 * 1024

    let text: FormText
    /// The offset behind each element; the next one begins behind the comma there.
    let ends: [Int]
    /// The number of collections and secrets within each element and those before it; empty where
    /// there are none at all.
    let holeEnds: [Int]
    /// The number of bytes that are shown, with all collections in place.
    let byteCount: Int
    /// A secret stands in one of its elements.
    let holdsSecrets: Bool
    /// The memory that it takes.
    let heldByteCount: Int

    init(text: FormText, ends: [Int], holeEnds: [Int]) {
        precondition(ends.last == text.bytes.count, "The last element ends with its piece.")
        precondition(
            holeEnds.isEmpty ? text.holes.isEmpty : holeEnds.count == ends.count,
            "Each element is told how many placeholders it ends behind.")
        self.text = text
        self.ends = ends
        self.holeEnds = holeEnds
        byteCount = text.byteCount
        holdsSecrets = text.holdsSecrets
        heldByteCount = text.heldByteCount + (ends.count + holeEnds.count) * 8 + 96
    }

    /// The number of elements.
    var count: Int { ends.count }

    /// The bytes of some elements, with the commas between them.
    func range(of elements: Range<Int>) -> Range<Int> {
        precondition(!elements.isEmpty, "Elements that stand nowhere have no bytes.")
        let start = elements.lowerBound == 0 ? 0 : ends[elements.lowerBound - 1] + 1
        return start..<ends[elements.upperBound - 1]
    }

    /// The collections and secrets within some elements.
    func holeRange(of elements: Range<Int>) -> Range<Int> {
        guard !holeEnds.isEmpty, !elements.isEmpty else { return 0..<0 }
        let start = elements.lowerBound == 0 ? 0 : holeEnds[elements.lowerBound - 1]
        return start..<holeEnds[elements.upperBound - 1]
    }

    /// One element.
    subscript(element: Int) -> FormSlice {
        FormSlice(
            text: text, range: range(of: element..<element + 1),
            firstHole: holeRange(of: element..<element + 1).lowerBound)
    }

    /// An element is the same text as one of another piece.
    func isEqual(at element: Int, to other: FormPiece, at place: Int) -> Bool {
        let one = range(of: element..<element + 1)
        let two = other.range(of: place..<place + 1)
        guard one.count == two.count else { return false }
        guard text.holes.isEmpty, other.text.holes.isEmpty else {
            return self[element].isEqual(to: other[place])
        }
        let (bytes, others) = (text.bytes, other.text.bytes)
        return bytes.span.extracting(one).isEqual(to: others.span.extracting(two))
    }
}

// MARK: Collections within a text

extension FormNode {
    /// The array or object that a value is, with its elements found: read where it stands in the
    /// text. Nil for another value.
    static func reading(_ value: FormSlice) -> FormNode? {
        if let node = value.node { return node }
        switch value.opening {
        case UInt8(ascii: "{"): return make(value, isObject: true)
        case UInt8(ascii: "["): return make(value, isObject: false)
        default: return nil
        }
    }

    private static func make(_ value: FormSlice, isObject: Bool) -> FormNode? {
        guard value.range.count >= 2 else { return nil }
        var (ends, holeEnds): ([Int], [Int]) = ([], [])
        var reader = ItemReader(value)
        while let item = reader.next() {
            ends.append(item.slice.range.upperBound - value.range.lowerBound - 1)
            if !value.text.holes.isEmpty { holeEnds.append(reader.hole - value.firstHole) }
        }
        guard reader.isAtEnd else { return nil }
        guard !ends.isEmpty else { return FormNode(isObject: isObject, pieces: [], source: nil) }
        let inside = value.range.lowerBound + 1..<value.range.upperBound - 1
        let text = FormText(
            bytes: [UInt8](copying: value.text.bytes.span.extracting(inside)),
            holes: Array(value.holes))
        let piece = FormPiece(text: text, ends: ends, holeEnds: text.holes.isEmpty ? [] : holeEnds)
        return FormNode(isObject: isObject, pieces: [piece], source: nil)
    }

    /// The names of members, as they stand in the text.
    func names(of members: Range<Int>) -> [[UInt8]] {
        precondition(isObject, "Only members have names.")
        return members.map { member in
            let slice = self[member]
            return [UInt8](copying: slice.text.bytes.span.extracting(slice.nameRange))
        }
    }

    /// Two members have the same name.
    var repeatsName: Bool {
        guard isObject, source == nil else { return false }
        return Set(names(of: 0..<count)).count < count
    }
}

extension FormSlice {
    /// The name of the member that the slice is, without quotes.
    var nameRange: Range<Int> {
        var scanner = JSONScanner()
        scanner.position = range.lowerBound
        return scanner.string(text.bytes.span)?.range ?? range.lowerBound..<range.lowerBound
    }

    /// The value of the member that the slice is.
    var memberValue: FormSlice {
        let start = nameRange.upperBound + 2
        precondition(start < range.upperBound, "Behind a name stands a value.")
        return FormSlice(text: text, range: start..<range.upperBound, firstHole: firstHole)
    }
}

/// Reads the members of an object, or the elements of an array, where they stand in a text.
struct ItemReader {
    struct Item {
        let slice: FormSlice
        /// A member's name in the text, without quotes; empty for an element.
        let name: Range<Int>
    }

    private let value: FormSlice
    private let isObject: Bool
    private var scanner = JSONScanner()
    /// The first of the text's holes behind what was read.
    private(set) var hole: Int

    init(_ value: FormSlice) {
        self.value = value
        isObject = value.opening == UInt8(ascii: "{")
        hole = value.firstHole
        scanner.position = value.range.lowerBound + 1
    }

    /// All is read, up to the bracket.
    var isAtEnd: Bool { scanner.position == value.range.upperBound - 1 }

    /// The next one; nil behind the last.
    mutating func next() -> Item? {
        let value = value
        let bytes = value.text.bytes.span
        guard scanner.position < value.range.upperBound - 1 else { return nil }
        if scanner.position > value.range.lowerBound + 1 {
            guard scanner.skip(UInt8(ascii: ","), bytes) else { return nil }
        }
        let start = scanner.position
        var name = start..<start
        if isObject {
            guard let (range, _) = scanner.string(bytes), scanner.skip(UInt8(ascii: ":"), bytes)
            else { return nil }
            name = range
        }
        guard scanner.value(bytes) != nil, scanner.position < value.range.upperBound else {
            return nil
        }
        let slice = FormSlice(
            text: value.text, range: start..<scanner.position, firstHole: hole)
        hole += value.text.holeCount(in: slice.range)
        return Item(slice: slice, name: name)
    }
}
