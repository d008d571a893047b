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
