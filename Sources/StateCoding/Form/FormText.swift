import Bytes

/// Neighbouring elements of an array, or members of an object, or one value, as compact JSON text in
/// which a byte of zero stands for each collection that is kept by itself, and for each secret.
///
///     {"counter":7,"items":␀}     holes: the node of "items"
///
/// JSON has no such byte (RFC 8259 §7), so that it can be told from all others. A text never changes,
/// and the forms of many states share it.
final class FormText {
    /// The byte that stands for a collection or a secret.
    static let placeholder: UInt8 = 0

    let bytes: [UInt8]
    /// The collections and secrets, in the order of their placeholders.
    let holes: [FormNode]
    /// The number of elements.
    let count: Int
    /// The offset behind each element; the next one begins behind the comma there. Empty where there
    /// is but one.
    private let ends: [Int]
    /// The number of collections and secrets within each element and those before it; empty where
    /// there are none at all, and where there is but one element.
    private let holeEnds: [Int]
    /// The number of bytes that are shown, with all collections in place.
    let byteCount: Int
    /// A secret stands in it, or in one of its collections.
    let holdsSecrets: Bool
    /// The memory that it takes, with what its collections keep.
    let heldByteCount: Int

    /// Elements whose texts and placeholders end at these offsets; without them, one value.
    init(bytes: [UInt8], holes: [FormNode] = [], ends: [Int] = [], holeEnds: [Int] = []) {
        precondition(
            ends.last ?? bytes.count == bytes.count, "The last element ends with its text.")
        precondition(
            holes.isEmpty || holeEnds.count == ends.count,
            "Each element is told how many placeholders it ends behind.")
        self.bytes = bytes
        self.holes = holes
        count = max(ends.count, 1)
        self.ends = ends.count > 1 ? ends : []
        self.holeEnds = ends.count > 1 && !holes.isEmpty ? holeEnds : []
        var shown = bytes.count
        var held = bytes.count + (holes.count + ends.count + holeEnds.count) * 8 + 96
        var holdsSecrets = false
        for hole in holes {
            shown += hole.byteCount - 1
            held += hole.heldByteCount
            holdsSecrets = holdsSecrets || hole.holdsSecrets
        }
        byteCount = shown
        heldByteCount = held
        self.holdsSecrets = holdsSecrets
    }

    /// All of it, as one value.
    var whole: FormSlice { FormSlice(text: self, range: 0..<bytes.count, firstHole: 0) }

    /// One element.
    subscript(element: Int) -> FormSlice {
        FormSlice(
            text: self, range: range(of: element..<element + 1),
            firstHole: element == 0 ? 0 : holeEnd(of: element - 1))
    }

    /// The offset behind an element.
    func end(of element: Int) -> Int { ends.isEmpty ? bytes.count : ends[element] }

    /// The number of collections and secrets within an element and those before it.
    func holeEnd(of element: Int) -> Int { holeEnds.isEmpty ? holes.count : holeEnds[element] }

    /// The bytes of some elements, with the commas between them.
    func range(of elements: Range<Int>) -> Range<Int> {
        precondition(!elements.isEmpty, "Elements that stand nowhere have no bytes.")
        let start = elements.lowerBound == 0 ? 0 : end(of: elements.lowerBound - 1) + 1
        return start..<end(of: elements.upperBound - 1)
    }

    /// The collections and secrets within some elements.
    func holeRange(of elements: Range<Int>) -> Range<Int> {
        guard !elements.isEmpty else { return 0..<0 }
        let start = elements.lowerBound == 0 ? 0 : holeEnd(of: elements.lowerBound - 1)
        return start..<holeEnd(of: elements.upperBound - 1)
    }

    /// An element is the same text as one of another text.
    func isEqual(at element: Int, to other: FormText, at place: Int) -> Bool {
        guard holes.isEmpty, other.holes.isEmpty else {
            return self[element].isEqual(to: other[place])
        }
        let (one, two) = (range(of: element..<element + 1), other.range(of: place..<place + 1))
        return bytes.isEqual(in: one, to: other.bytes, in: two)
    }
}

extension [UInt8] {
    /// The bytes of a range are those of a range of others.
    func isEqual(in range: Range<Int>, to others: [UInt8], in otherRange: Range<Int>) -> Bool {
        span.extracting(range).elementsEqual(others.span.extracting(otherRange))
    }

    /// The number of placeholders in a range of a text.
    func placeholderCount(in range: Range<Int>) -> Int {
        self[range].count { $0 == FormText.placeholder }
    }
}

/// One value, or one member, within a text.
struct FormSlice {
    let text: FormText
    let range: Range<Int>
    /// The first of the text's holes that stands in the range or behind it.
    let firstHole: Int

    /// The collection or secret that the value is.
    var hole: FormNode? {
        text.bytes[range.lowerBound] == FormText.placeholder ? text.holes[firstHole] : nil
    }

    /// The value is a secret.
    var isSecret: Bool { hole?.secret != nil }

    /// `{`, `[` or the first byte of another value.
    var opening: UInt8 { hole?.opening ?? text.bytes[range.lowerBound] }

    /// The number of bytes with all collections in place.
    var byteCount: Int { holes.reduce(range.count) { $0 + $1.byteCount - 1 } }

    /// The number of collections and secrets that stand in it.
    var holeCount: Int { text.holes.isEmpty ? 0 : text.bytes.placeholderCount(in: range) }

    /// The collections and secrets that stand in it.
    var holes: ArraySlice<FormNode> { text.holes[firstHole..<firstHole + holeCount] }

    /// The name of the member that the slice is, without quotes.
    var nameRange: Range<Int> {
        var scanner = JSONScanner(position: range.lowerBound)
        let bytes = text.bytes
        return scanner.string(bytes.span)?.range ?? range.lowerBound..<range.lowerBound
    }

    /// The name as it stands in the text.
    var name: [UInt8] { Array(text.bytes[nameRange]) }

    /// Both are members of the same name.
    func hasSameName(as other: FormSlice) -> Bool {
        text.bytes.isEqual(in: nameRange, to: other.text.bytes, in: other.nameRange)
    }

    /// The value of the member that the slice is.
    var memberValue: FormSlice {
        let start = nameRange.upperBound + 2
        precondition(start < range.upperBound, "Behind a name stands a value.")
        return FormSlice(text: text, range: start..<range.upperBound, firstHole: firstHole)
    }

    /// The bytes with all collections in place.
    func shown(opening secrets: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        append(to: &output, opening: secrets)
        return output
    }

    /// Appends the bytes with all collections in place. Secrets read `"<redacted>"`, unless they are
    /// opened.
    func append(to output: inout [UInt8], opening secrets: Bool = false) {
        let bytes = text.bytes
        var copied = range.lowerBound
        if firstHole < text.holes.count {
            var hole = firstHole
            for index in range where bytes[index] == FormText.placeholder {
                output += bytes[copied..<index]
                text.holes[hole].append(to: &output, opening: secrets)
                copied = index + 1
                hole += 1
            }
        }
        output += bytes[copied..<range.upperBound]
    }

    /// Both are the same bytes, with the same collections at the same places.
    func isEqual(to other: FormSlice) -> Bool {
        guard text.bytes.isEqual(in: range, to: other.text.bytes, in: other.range) else {
            return false
        }
        if text.holes.isEmpty, other.text.holes.isEmpty { return true }
        return zip(holes, other.holes).allSatisfy { $0 === $1 || $0.isEqual(to: $1) }
    }
}
