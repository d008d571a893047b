import Bytes

/// A collection that is kept by itself: its elements or members in pieces, and the value that they
/// were encoded from.
final class FormNode {
    /// The value of a node, by which its next encoding finds what has changed. An object, because
    /// it is looked at more often than made.
    final class Source {
        /// The array, set or dictionary.
        let value: Any
        /// The depth at which it was encoded.
        let place: EncodingPlace
        /// For each member of a dictionary, or element of a set, in the order of the text, its offset
        /// in the order of iteration; empty where that is not known.
        let order: [Int]

        init(value: Any, place: EncodingPlace, order: [Int]) {
            self.value = value
            self.place = place
            self.order = order
        }
    }

    /// The node is an object, and its elements are members; else it is an array.
    let isObject: Bool
    let pieces: [FormText]
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

    init(isObject: Bool, pieces: [FormText], source: Source?) {
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

    /// Appends its bytes; secrets read `"<redacted>"`, unless they are opened.
    func append(to output: inout [UInt8], opening secrets: Bool) {
        output.append(opening)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            piece.append(to: &output, opening: secrets)
        }
        output.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    /// The piece in which an element stands, and the element's place there.
    func locate(_ element: Int) -> (piece: Int, offset: Int) {
        precondition(element >= 0 && element < count, "The element is one of the collection.")
        var (low, high) = (0, pieces.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= element { low = middle } else { high = middle }
        }
        return (low, element - starts[low])
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
    ///
    /// - Parameter step: −1 to go to the left.
    static func equalCount(
        _ old: FormNode, from start: Int, _ new: FormNode, from otherStart: Int, step: Int = 1,
        limit: Int
    ) -> Int {
        var count = 0
        while count < limit {
            let here = old.locate(start + step * count)
            let there = new.locate(otherStart + step * count)
            let (one, other) = (old.pieces[here.piece], new.pieces[there.piece])
            if one === other, here.offset == there.offset {
                count += step > 0 ? one.count - here.offset : here.offset + 1
            } else {
                guard one.isEqual(at: here.offset, to: other, at: there.offset) else { break }
                count += 1
            }
        }
        return min(count, limit)
    }
}

// MARK: Collections within a text

extension FormNode {
    /// The array or object that a value is, with its elements found: read where it stands in the
    /// text. Nil for another value.
    static func reading(_ value: FormSlice) -> FormNode? {
        if let node = value.node { return node }
        let isObject = value.opening == UInt8(ascii: "{")
        guard isObject || value.opening == UInt8(ascii: "["), value.range.count >= 2 else {
            return nil
        }
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
            bytes: Array(value.text.bytes[inside]),
            holes: Array(value.holes), ends: ends, holeEnds: holeEnds)
        return FormNode(isObject: isObject, pieces: [text], source: nil)
    }

    /// The names of members, as they stand in the text.
    func names(of members: Range<Int>) -> [[UInt8]] {
        precondition(isObject, "Only members have names.")
        return members.map { self[$0].name }
    }

    /// Two members have the same name.
    var repeatsName: Bool {
        guard isObject, source == nil else { return false }
        return Set(names(of: 0..<count)).count < count
    }
}

/// Reads the members of an object, or the elements of an array, where they stand in a text.
struct ItemReader {
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

    /// The next one, and a member's name in the text, without quotes, empty for an element; nil behind
    /// the last.
    mutating func next() -> (slice: FormSlice, name: Range<Int>)? {
        let text = value.text.bytes
        let bytes = text.span
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
        hole += slice.holeCount
        return (slice, name)
    }
}
