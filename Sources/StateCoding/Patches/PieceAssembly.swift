import Bytes

/// Puts the pieces of one collection together, whose elements are written at the end of a
/// document, or copied from pieces of its former value.
struct PieceAssembly {
    private let document: DocumentEncoder
    private let forms: FormRecorder
    private let former: FormNode?
    private(set) var pieces: [FormPiece] = []
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

    /// The collection is so short that it is best left in the document.
    var isShort: Bool {
        pieces.isEmpty
            && forms.holes[firstHole...].reduce(document.written - start + 2) {
                $0 + $1.byteCount - 1
            } < FormRecorder.minimumByteCount
    }

    /// Writes one element or member, whose former value is the one at a place.
    mutating func append(after element: Int?, _ encode: () throws -> Void) throws {
        guard !document.isInterleaved else { throw InterleavedWriting() }
        if !ends.isEmpty { document.writer.bytes.append(UInt8(ascii: ",")) }
        let place = element.flatMap { former?.locate($0) }
        try forms.encodeElement(
            after: place?.offset, of: place.flatMap { former?.pieces[$0.piece] }, encode)
        endElement()
    }

    private mutating func endElement() {
        ends.append(document.written - start)
        holeEnds.append(forms.holes.count - firstHole)
        if ends.count >= FormPiece.elementLimit || document.written - start >= FormPiece.byteLimit {
            flush()
        }
    }

    /// Copies elements of the former value: their pieces, where these are copied whole.
    mutating func copy(_ elements: Range<Int>) {
        guard let former, !elements.isEmpty else { return }
        var place = former.locate(elements.lowerBound)
        var rest = elements.count
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
        if ends.count >= FormPiece.elementLimit || document.written - start >= FormPiece.byteLimit {
            flush()
        }
    }

    /// Ends a piece, and takes its text out of the document.
    mutating func flush() {
        guard !ends.isEmpty else { return }
        let text = FormText(
            bytes: document.takeBytes(from: start), holes: forms.takeHoles(from: firstHole))
        pieces.append(
            FormPiece(text: text, ends: ends, holeEnds: text.holes.isEmpty ? [] : holeEnds))
        ends.removeAll(keepingCapacity: true)
        holeEnds.removeAll(keepingCapacity: true)
    }
}
