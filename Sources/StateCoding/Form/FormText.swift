import Bytes
import Redux

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
    let holes: [FormHole]
    /// The offset behind each element; the next one begins behind the comma there.
    let ends: [Int]
    /// The number of collections and secrets within each element and those before it; empty where
    /// there are none at all.
    let holeEnds: [Int]
    /// The number of bytes that are shown, with all collections in place.
    let byteCount: Int
    /// A secret stands in it, or in one of its collections.
    let holdsSecrets: Bool
    /// The memory that it takes, with what its collections keep.
    let heldByteCount: Int

    init(bytes: [UInt8], holes: [FormHole], ends: [Int], holeEnds: [Int]) {
        precondition(ends.last == bytes.count, "The last element ends with its text.")
        self.bytes = bytes
        self.holes = holes
        self.ends = ends
        self.holeEnds = holes.isEmpty ? [] : holeEnds
        precondition(
            holes.isEmpty || holeEnds.count == ends.count,
            "Each element is told how many placeholders it ends behind.")
        byteCount = holes.reduce(bytes.count) { $0 + $1.byteCount - 1 }
        holdsSecrets = holes.contains(where: \.holdsSecrets)
        let fixed = bytes.count + (holes.count + ends.count + holeEnds.count) * 8 + 96
        heldByteCount = holes.reduce(fixed) { $0 + $1.heldByteCount }
    }

    /// The text of one value.
    convenience init(bytes: [UInt8], holes: [FormHole] = []) {
        self.init(bytes: bytes, holes: holes, ends: [bytes.count], holeEnds: [holes.count])
    }

    /// The number of elements.
    var count: Int { ends.count }

    /// All of it, as one value.
    var whole: FormSlice { FormSlice(text: self, range: 0..<bytes.count, firstHole: 0) }

    /// One element.
    subscript(element: Int) -> FormSlice {
        FormSlice(
            text: self, range: range(of: element..<element + 1),
            firstHole: holeRange(of: element..<element + 1).lowerBound)
    }

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

    /// An element is the same text as one of another text.
    func isEqual(at element: Int, to other: FormText, at place: Int) -> Bool {
        let one = range(of: element..<element + 1)
        let two = other.range(of: place..<place + 1)
        guard one.count == two.count else { return false }
        guard holes.isEmpty, other.holes.isEmpty else {
            return self[element].isEqual(to: other[place])
        }
        return bytes.isEqual(in: one, to: other.bytes, in: two)
    }

    /// The number of placeholders that stand in a range.
    func holeCount(in range: Range<Int>) -> Int {
        holes.isEmpty ? 0 : bytes.placeholderCount(in: range)
    }

    /// Appends all bytes with all collections in place. Secrets read `"<redacted>"`, unless they are
    /// opened.
    func append(to output: inout [UInt8], opening secrets: Bool = false) {
        whole.append(to: &output, opening: secrets)
    }
}

extension [UInt8] {
    /// The bytes of a range are those of a range of others: without an early end within 64 of them, so
    /// that many are compared at once.
    func isEqual(in range: Range<Int>, to others: [UInt8], in otherRange: Range<Int>) -> Bool {
        guard range.count == otherRange.count else { return false }
        let (bytes, others) = (span.extracting(range), others.span.extracting(otherRange))
        var index = 0
        while index < bytes.count {
            let end = Swift.min(index + 64, bytes.count)
            var difference: UInt8 = 0
            while index < end {
                difference |= bytes[index] ^ others[index]
                index += 1
            }
            if difference != 0 { return false }
        }
        return true
    }

    /// The number of placeholders in a range of a text.
    func placeholderCount(in range: Range<Int>) -> Int {
        var count = 0
        for index in range where self[index] == FormText.placeholder { count += 1 }
        return count
    }
}

/// One value, or one member, within a text.
struct FormSlice {
    let text: FormText
    let range: Range<Int>
    /// The first of the text's holes that stands in the range or behind it.
    let firstHole: Int

    /// The collection or secret that the value is.
    var hole: FormHole? {
        text.bytes[range.lowerBound] == FormText.placeholder ? text.holes[firstHole] : nil
    }

    /// The collection, where the value is one that is kept by itself.
    var node: FormNode? {
        guard case .collection(let node) = hole else { return nil }
        return node
    }

    /// The value is a secret.
    var isSecret: Bool {
        guard case .secret = hole else { return false }
        return true
    }

    /// `{`, `[` or the first byte of another value.
    var opening: UInt8 { hole?.opening ?? text.bytes[range.lowerBound] }

    /// The number of bytes with all collections in place.
    var byteCount: Int { holes.reduce(range.count) { $0 + $1.byteCount - 1 } }

    /// The number of collections and secrets that stand in it.
    var holeCount: Int { text.holeCount(in: range) }

    /// The collections and secrets that stand in it.
    var holes: ArraySlice<FormHole> { text.holes[firstHole..<firstHole + holeCount] }

    /// The name of the member that the slice is, without quotes.
    var nameRange: Range<Int> {
        var scanner = JSONScanner()
        scanner.position = range.lowerBound
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
                output.append(copying: bytes.span.extracting(copied..<index))
                text.holes[hole].append(to: &output, opening: secrets)
                copied = index + 1
                hole += 1
            }
        }
        output.append(copying: bytes.span.extracting(copied..<range.upperBound))
    }

    /// Both are the same bytes, with the same collections at the same places.
    func isEqual(to other: FormSlice) -> Bool {
        guard range.count == other.range.count else { return false }
        guard text.bytes.isEqual(in: range, to: other.text.bytes, in: other.range) else {
            return false
        }
        if text.holes.isEmpty, other.text.holes.isEmpty { return true }
        return zip(holes, other.holes).allSatisfy { $0.isEqual(to: $1) }
    }
}

/// What a placeholder stands for in the text of a form.
///
///     {"name":"Ada","password":␀,"items":␀}
///     .secret("\"open sesame\""), .collection(the node of "items")
enum FormHole {
    /// A collection that is kept by itself.
    case collection(FormNode)
    /// A secret's own JSON; `"<redacted>"` is shown in its place.
    case secret(Secret<[UInt8]>)

    /// The JSON that is shown for any secret.
    private static let redacted = Array("\"\(Secret<[UInt8]>.redacted)\"".utf8)

    /// The first byte of what is shown.
    var opening: UInt8 {
        switch self {
        case .collection(let node): node.opening
        case .secret: UInt8(ascii: "\"")
        }
    }

    /// The number of bytes of what is shown.
    var byteCount: Int {
        switch self {
        case .collection(let node): node.byteCount
        case .secret: Self.redacted.count
        }
    }

    /// The memory that it takes.
    var heldByteCount: Int {
        switch self {
        case .collection(let node): node.heldByteCount
        case .secret(let json): json.value.count + 32
        }
    }

    /// It is a secret, or holds one.
    var holdsSecrets: Bool {
        switch self {
        case .collection(let node): node.holdsSecrets
        case .secret: true
        }
    }

    /// Appends what is shown, or, where secrets are opened, their own JSON.
    func append(to output: inout [UInt8], opening secrets: Bool) {
        switch self {
        case .collection(let node): node.append(to: &output, opening: secrets)
        case .secret(let json): output.append(copying: (secrets ? json.value : Self.redacted).span)
        }
    }

    /// Both are shown as the same text.
    func isEqual(to other: FormHole) -> Bool {
        switch (self, other) {
        case (.collection(let node), .collection(let other)):
            node === other || node.isEqual(to: other)
        case (.secret, .secret): true
        case (.collection, .secret), (.secret, .collection): false
        }
    }

    /// Both hold the same secrets, as far as that is known without looking into them: what is shown
    /// is equal.
    func hasSameSecrets(as other: FormHole) -> Bool {
        switch (self, other) {
        case (.collection(let node), .collection(let other)):
            node === other || !node.holdsSecrets && !other.holdsSecrets
        case (.secret(let json), .secret(let other)): json == other
        case (.collection, .secret), (.secret, .collection): false
        }
    }
}
