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
        return ElementWalk(self, other).equalCount(limit: count) == count
    }
}

/// The place of an element within the pieces of a node.
struct ElementPlace {
    var piece: Int
    var offset: Int
}
