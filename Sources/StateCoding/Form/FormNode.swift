import Bytes
import Redux

/// What a placeholder stands for in the text of a form: a collection that is kept by itself, its
/// elements or members in pieces, or a secret.
///
///     {"name":"Ada","password":␀,"items":␀}
final class FormNode {
    /// What is known of a node's value, by which its next encoding finds what has changed.
    struct Source {
        let type: ObjectIdentifier
        /// The value's storage, see `EqualBits.storage(of:)`.
        let storage: UInt
        /// The depth at which it was encoded, which the limits of nesting are compared with.
        let nesting: Int
        let valueDepth: Int
        /// For each member of a dictionary, or element of a set, in the order of the text, its offset
        /// in the order of iteration; empty where that is not known.
        var order: [Int] = []
    }

    /// The node is an object, and its elements are members; else it is an array, or a secret.
    let isObject: Bool
    let pieces: [FormText]
    /// The number of elements before each piece.
    let starts: [Int]
    /// The number of elements.
    let count: Int
    /// The number of bytes that are shown, brackets included.
    let byteCount: Int
    /// It is a secret, or one stands in one of its elements.
    let holdsSecrets: Bool
    /// The memory that it takes: its text, the ends of its elements, and as much for its value as
    /// the text is long.
    let heldByteCount: Int
    /// Nil where the node was read from a text.
    let source: Source?
    /// The array, set or dictionary. Apart from what is known of it, which is so copied at no cost.
    let value: Any
    /// A secret's own JSON; `"<redacted>"` is shown in its place.
    let secret: Secret<[UInt8]>?

    /// The JSON that is shown for any secret.
    private static let redacted = Array("\"\(Secret<[UInt8]>.redacted)\"".utf8)

    init(isObject: Bool, pieces: [FormText], source: Source? = nil, value: Any = ()) {
        self.isObject = isObject
        self.pieces = pieces
        self.source = source
        self.value = value
        secret = nil
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

    init(secret json: [UInt8]) {
        (isObject, pieces, starts, count, source, value) = (false, [], [], 0, nil, ())
        byteCount = Self.redacted.count
        holdsSecrets = true
        heldByteCount = json.count + 32
        secret = Secret(json)
    }

    /// The first byte of what is shown.
    var opening: UInt8 {
        secret != nil ? UInt8(ascii: "\"") : isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")
    }

    /// Appends what is shown; where secrets are opened, their own JSON.
    func append(to output: inout [UInt8], opening secrets: Bool) {
        if let secret {
            return output.append(copying: (secrets ? secret.value : Self.redacted).span)
        }
        output.append(opening)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            piece.whole.append(to: &output, opening: secrets)
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

    /// Both are shown as the same text.
    func isEqual(to other: FormNode) -> Bool {
        guard isObject == other.isObject, count == other.count, byteCount == other.byteCount,
            (secret == nil) == (other.secret == nil)
        else { return false }
        return Self.equalCount(self, from: 0, other, from: 0, limit: count) == count
    }

    /// Both, which are shown as the same text, hold the same secrets, as far as that is known without
    /// looking into them.
    func hasSameSecrets(as other: FormNode) -> Bool {
        if secret != nil || other.secret != nil { return secret == other.secret }
        return self === other || !holdsSecrets && !other.holdsSecrets
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
        if let node = value.hole { return node.secret == nil ? node : nil }
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
        guard !ends.isEmpty else { return FormNode(isObject: isObject, pieces: []) }
        let inside = value.range.lowerBound + 1..<value.range.upperBound - 1
        let text = FormText(
            bytes: Array(value.text.bytes[inside]),
            holes: Array(value.holes), ends: ends, holeEnds: holeEnds)
        return FormNode(isObject: isObject, pieces: [text])
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
    private var items: ItemScanner
    /// The first of the text's holes behind what was read.
    private(set) var hole: Int

    init(_ value: FormSlice) {
        self.value = value
        hole = value.firstHole
        let bytes = value.text.bytes
        items = ItemScanner(JSONScanner(position: value.range.lowerBound), bytes.span)
    }

    /// All is read, and the bracket.
    var isAtEnd: Bool { items.isWhole && items.scanner.position == value.range.upperBound }

    /// The next one, and a member's name in the text, without quotes, empty for an element; nil behind
    /// the last.
    mutating func next() -> (slice: FormSlice, name: Range<Int>)? {
        let text = value.text.bytes
        let bytes = text.span
        guard let (start, name, _) = items.next(bytes), items.scanner.value(bytes) != nil,
            items.scanner.position < value.range.upperBound
        else { return nil }
        let slice = FormSlice(
            text: value.text, range: start..<items.scanner.position, firstHole: hole)
        hole += slice.holeCount
        return (slice, name)
    }
}
