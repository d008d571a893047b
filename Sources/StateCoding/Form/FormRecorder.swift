import Bytes
import Reflection

/// The collections that a running encoding keeps by themselves, with its secrets, and the
/// collections of the encoding before, which it expects in the same order.
final class FormRecorder {
    /// The former collections among which the next ones are looked for.
    private struct Expectation {
        var holes: [FormHole]
        /// The next ones.
        var range: Range<Int>
    }

    /// The collections and secrets that were kept and are in no other's pieces yet.
    private(set) var holes: [FormHole] = []
    private var former: Expectation

    /// Shorter ones are encoded again faster than they are looked up.
    static let minimumByteCount = 128
    /// The number of former collections that are looked through for one that has not changed.
    private static let lookahead = 8

    /// - Parameter former: the collections of the encoding before.
    init(after former: [FormHole]) {
        self.former = Expectation(holes: former, range: former.indices)
    }

    /// Keeps a collection, in the place of whose text a placeholder is written.
    func append(_ node: FormNode) { holes.append(.collection(node)) }

    /// Keeps the collections and secrets of a text that is written as it is.
    func append(_ others: ArraySlice<FormHole>) { holes += others }

    /// Gives up the collections and secrets from a place on: they are in another's pieces now.
    func takeHoles(from start: Int) -> [FormHole] {
        precondition(start <= holes.count, "Collections are given up inside out.")
        guard start < holes.count else { return [] }
        let taken = Array(holes[start...])
        holes.removeLast(taken.count)
        return taken
    }

    /// The former value of a collection: one of the same type and depth, with the same storage if
    /// one of the next has it. It is not looked for again.
    func findFormer<Value>(of value: Value, at place: EncodingPlace) -> FormerCollection<Value>? {
        let type = ObjectIdentifier(Value.self)
        var found: FormerCollection<Value>?
        var rest = Self.lookahead
        for index in former.range where rest > 0 {
            guard case .collection(let node) = former.holes[index] else { continue }
            rest -= 1
            guard let source = node.source, source.type == type, source.place == place,
                let known = source.value as? Value
            else { continue }
            let isSame = EqualBits.haveSameStorage(known, value)
            guard isSame || found == nil else { continue }
            found = FormerCollection(node: node, value: known, isSame: isSame, index: index)
            if isSame { break }
        }
        if let found { skip(through: found.index) }
        return found
    }

    private func skip(through index: Int) {
        former.range = index + 1..<former.range.upperBound
    }

    /// A collection turned out to be too short to be kept: its former value stands for another.
    func restore<Value>(_ unused: FormerCollection<Value>?) {
        guard let unused else { return }
        former.range = unused.index..<former.range.upperBound
    }

    /// Lets an element be encoded, whose former value is an element of a piece, if that is known.
    func encodeElement(
        after element: Int?, of piece: FormPiece?, _ encode: () throws -> Void
    ) throws {
        let outer = former
        if let piece, let element {
            let range = piece.holeRange(of: element..<element + 1)
            former = Expectation(holes: piece.text.holes, range: range)
        } else {
            former = Expectation(holes: [], range: 0..<0)
        }
        defer { former = outer }
        try encode()
    }
}

/// A collection as it was encoded the last time.
struct FormerCollection<Value> {
    let node: FormNode
    let value: Value
    /// The collection has the same storage now.
    let isSame: Bool
    /// Its place among those that were expected.
    let index: Int
}

/// Puts the pieces of one collection together, whose elements are written at the end of a
/// document, or copied from pieces of its former value.
struct PieceAssembly {
    private let document: DocumentEncoder
    private let forms: FormRecorder
    private let former: FormNode?
    private var pieces: [FormPiece] = []
    /// Elements of the former value that are still to be copied.
    private var copied = 0..<0
    /// The offset in the document, and among the collections and secrets kept, at which a piece
    /// begins.
    private let start: Int
    private let firstHole: Int
    private var ends: [Int] = []
    private var holeEnds: [Int] = []

    /// A former piece of fewer elements is copied to its neighbour.
    private static let smallCount = 16

    /// The collection's bracket is the last byte written.
    init(_ document: DocumentEncoder, _ forms: FormRecorder, after former: FormNode?) {
        self.document = document
        self.forms = forms
        self.former = former
        start = document.written
        firstHole = forms.holes.count
    }

    /// All pieces; nil where the collection is so short that it is best left in the document.
    mutating func finish() -> [FormPiece]? {
        endCopy()
        let shown = forms.holes[firstHole...].reduce(document.written - start + 2) {
            $0 + $1.byteCount - 1
        }
        if pieces.isEmpty, shown < FormRecorder.minimumByteCount { return nil }
        flush()
        return pieces
    }

    /// Writes one element or member, whose former value is the one at a place.
    mutating func append(after element: Int?, _ encode: () throws -> Void) throws {
        guard !document.isInterleaved else { throw InterleavedWriting() }
        endCopy()
        if !ends.isEmpty { document.writer.bytes.append(UInt8(ascii: ",")) }
        let place = element.flatMap { former?.locate($0) }
        try forms.encodeElement(
            after: place?.offset, of: place.flatMap { former?.pieces[$0.piece] }, encode)
        ends.append(document.written - start)
        holeEnds.append(forms.holes.count - firstHole)
        flushIfFull()
    }

    /// Copies elements of the former value, in runs as long as they are: their pieces, where these
    /// are copied whole.
    mutating func copy(_ elements: Range<Int>) {
        if elements.lowerBound == copied.upperBound, !copied.isEmpty {
            copied = copied.lowerBound..<elements.upperBound
        } else {
            endCopy()
            copied = elements
        }
    }

    private mutating func endCopy() {
        guard let former, !copied.isEmpty else { return }
        var place = former.locate(copied.lowerBound)
        var rest = copied.count
        copied = 0..<0
        while rest > 0 {
            let piece = former.pieces[place.piece]
            let count = min(rest, piece.count - place.offset)
            if count == piece.count, isAtBorder(before: piece) {
                flush()
                pieces.append(piece)
            } else {
                copy(place.offset..<place.offset + count, of: piece)
            }
            rest -= count
            place = ElementPlace(piece: place.piece + 1, offset: 0)
        }
    }

    /// A piece may follow as it is: it would not leave a short one before it.
    private func isAtBorder(before piece: FormPiece) -> Bool {
        ends.isEmpty || ends.count >= Self.smallCount
            || ends.count + piece.count > FormPiece.elementLimit
    }

    private mutating func copy(_ elements: Range<Int>, of piece: FormPiece) {
        var next = elements.lowerBound
        while next < elements.upperBound {
            let room = max(1, FormPiece.elementLimit - ends.count)
            let part = next..<min(elements.upperBound, next + room)
            copyPart(part, of: piece)
            next = part.upperBound
        }
    }

    private mutating func copyPart(_ part: Range<Int>, of piece: FormPiece) {
        if !ends.isEmpty { document.writer.bytes.append(UInt8(ascii: ",")) }
        let bytes = piece.range(of: part)
        let holes = piece.holeRange(of: part)
        let shift = document.written - start - bytes.lowerBound
        let holeShift = forms.holes.count - firstHole - holes.lowerBound
        let text = piece.text
        document.writer.append(raw: text.bytes.span.extracting(bytes))
        forms.append(text.holes[holes])
        for element in part {
            ends.append(piece.ends[element] + shift)
            holeEnds.append((piece.holeEnds.isEmpty ? 0 : piece.holeEnds[element]) + holeShift)
        }
        flushIfFull()
    }

    private mutating func flushIfFull() {
        if ends.count >= FormPiece.elementLimit || document.written - start >= FormPiece.byteLimit {
            flush()
        }
    }

    /// Ends a piece, and takes its text out of the document.
    private mutating func flush() {
        guard !ends.isEmpty else { return }
        let text = FormText(
            bytes: document.takeBytes(from: start), holes: forms.takeHoles(from: firstHole))
        pieces.append(
            FormPiece(text: text, ends: ends, holeEnds: text.holes.isEmpty ? [] : holeEnds))
        ends.removeAll(keepingCapacity: true)
        holeEnds.removeAll(keepingCapacity: true)
    }
}
