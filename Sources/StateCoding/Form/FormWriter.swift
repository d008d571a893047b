import Bytes
import Reflection

/// Puts together the pieces of one collection that is kept by itself, unless it is short: elements are
/// written at the end of the document, or copied from pieces of its former value.
struct FormWriter {
    private let document: DocumentEncoder
    private let former: FormNode?
    private var pieces: [FormText] = []
    /// Elements of the former value that are still to be copied.
    private var copied = 0..<0
    /// The offset in the document, and among its collections and secrets, at which a piece begins.
    private let start: Int
    private let firstHole: Int
    private var ends: [Int] = []
    private var holeEnds: [Int] = []

    /// Shorter collections, and pieces, are encoded again faster than they are looked up.
    static let minimumByteCount = 128
    /// A piece ends where it has so many elements or so many bytes.
    static let elementLimit = 64
    static let byteLimit = 16 * 1024
    /// A former piece of fewer elements is copied to its neighbour.
    private static let smallCount = 16

    /// The collection's bracket is the last byte written.
    private init(_ document: DocumentEncoder, after former: FormNode?) {
        self.document = document
        self.former = former
        start = document.written
        firstHole = document.holes.count
    }

    /// Writes a collection.
    ///
    /// - Parameter body: writes all elements; answers with a dictionary's order of iteration.
    static func write<Value>(
        _ value: Value, as kind: EncodingFrame.Kind, to document: DocumentEncoder,
        _ body: (inout FormWriter, _ former: (node: FormNode, value: Value)?) throws -> [Int]
    ) throws {
        guard !document.isInterleaved else { throw InterleavedWriting() }
        let expected = document.expected
        let place = EncodingPlace(nesting: document.nesting, valueDepth: document.valueDepth)
        let former = document.findFormer(of: value, at: place)
        if let former, EqualBits.haveSameStorage(former.value, value) {
            return document.keep(.collection(former.node))
        }
        let start = document.written
        var node: FormNode?
        do {
            try document.encodeContainer(kind) {
                var writer = FormWriter(document, after: former?.node)
                let order = try body(&writer, former)
                guard let pieces = writer.finish() else { return }
                node = FormNode(
                    isObject: kind == .object, pieces: pieces,
                    source: FormNode.Source(value: value, place: place, order: order))
            }
        } catch {
            // The value around may go on nevertheless, with what was written up to here.
            document.isInterleaved = true
            throw error
        }
        // The former value of one that is too short stands for another.
        guard let node else { return document.expected = expected }
        _ = document.takeBytes(from: start)
        document.keep(.collection(node))
    }

    /// All pieces; nil where the collection is so short that it is best left in the document.
    private mutating func finish() -> [FormText]? {
        endCopy()
        let shown = document.holes[firstHole...].reduce(document.written - start + 2) {
            $0 + $1.byteCount - 1
        }
        if pieces.isEmpty, shown < Self.minimumByteCount { return nil }
        flush()
        return pieces
    }

    /// Writes one element or member, whose former value is the one at a place.
    mutating func append(after element: Int?, _ encode: () throws -> Void) throws {
        guard !document.isInterleaved else { throw InterleavedWriting() }
        endCopy()
        if !ends.isEmpty { document.writer.bytes.append(UInt8(ascii: ",")) }
        let outer = document.expected
        document.expected = []
        if let former, let element {
            let (piece, offset) = former.locate(element)
            let text = former.pieces[piece]
            document.expected = text.holes[text.holeRange(of: offset..<offset + 1)]
        }
        defer { document.expected = outer }
        try encode()
        ends.append(document.written - start)
        holeEnds.append(document.holes.count - firstHole)
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
        var (index, offset) = former.locate(copied.lowerBound)
        var rest = copied.count
        copied = 0..<0
        while rest > 0 {
            let piece = former.pieces[index]
            let count = min(rest, piece.count - offset)
            if count == piece.count, isAtBorder(before: piece) {
                flush()
                pieces.append(piece)
            } else {
                copy(offset..<offset + count, of: piece)
            }
            rest -= count
            (index, offset) = (index + 1, 0)
        }
    }

    /// A piece may follow as it is: it is not short, and would not leave a short one before it.
    private func isAtBorder(before piece: FormText) -> Bool {
        piece.byteCount >= Self.minimumByteCount
            && (ends.isEmpty || ends.count >= Self.smallCount
                || ends.count + piece.count > Self.elementLimit)
    }

    private mutating func copy(_ elements: Range<Int>, of piece: FormText) {
        var next = elements.lowerBound
        while next < elements.upperBound {
            let room = max(1, Self.elementLimit - ends.count)
            let part = next..<min(elements.upperBound, next + room)
            copyPart(part, of: piece)
            next = part.upperBound
        }
    }

    private mutating func copyPart(_ part: Range<Int>, of piece: FormText) {
        if !ends.isEmpty { document.writer.bytes.append(UInt8(ascii: ",")) }
        let bytes = piece.range(of: part)
        let holes = piece.holeRange(of: part)
        let shift = document.written - start - bytes.lowerBound
        let holeShift = document.holes.count - firstHole - holes.lowerBound
        document.writer.bytes += piece.bytes[bytes]
        document.holes += piece.holes[holes]
        for element in part {
            ends.append(piece.ends[element] + shift)
            holeEnds.append((piece.holeEnds.isEmpty ? 0 : piece.holeEnds[element]) + holeShift)
        }
        flushIfFull()
    }

    private mutating func flushIfFull() {
        if ends.count >= Self.elementLimit || document.written - start >= Self.byteLimit {
            flush()
        }
    }

    /// Ends a piece, and takes its text out of the document.
    private mutating func flush() {
        guard !ends.isEmpty else { return }
        pieces.append(
            FormText(
                bytes: document.takeBytes(from: start),
                holes: document.takeHoles(from: firstHole), ends: ends, holeEnds: holeEnds))
        ends.removeAll(keepingCapacity: true)
        holeEnds.removeAll(keepingCapacity: true)
    }
}

extension DocumentEncoder {
    /// Keeps a collection or a secret, for which a placeholder is written.
    func keep(_ hole: FormHole) {
        writer.bytes.append(FormText.placeholder)
        holes.append(hole)
    }

    /// Gives up the collections and secrets from a place on: they are in another's pieces now.
    fileprivate func takeHoles(from start: Int) -> [FormHole] {
        guard start < holes.count else { return [] }
        let taken = Array(holes[start...])
        holes.removeLast(taken.count)
        return taken
    }

    /// The former value of a collection: one of the same type and depth, with the same storage if
    /// one of the next has it. It is not looked for again.
    fileprivate func findFormer<Value>(
        of value: Value, at place: EncodingPlace
    ) -> (node: FormNode, value: Value)? {
        guard let expected else { return nil }
        var found: (node: FormNode, value: Value)?
        // So many collections are looked through for one that has not changed.
        var rest = 8
        for (index, hole) in zip(expected.indices, expected) where rest > 0 {
            guard case .collection(let node) = hole else { continue }
            rest -= 1
            guard let source = node.source, source.place == place,
                let known = source.value as? Value
            else { continue }
            let isSame = EqualBits.haveSameStorage(known, value)
            guard isSame || found == nil else { continue }
            found = (node, known)
            self.expected = expected[(index + 1)...]
            if isSame { break }
        }
        return found
    }
}

/// The depth of a value, which the limits of nesting are compared with.
struct EncodingPlace: Equatable {
    var nesting: Int
    var valueDepth: Int
}

// MARK: What is written

extension CollectionWriter {
    /// Copies the elements of the former array whose bits are the same.
    func writeForm<Element: Encodable>(_ array: [Element]) throws {
        try FormWriter.write(array, as: .array, to: document) { writer, former in
            let traits = document.traits(of: Element.self)
            var steps = ArraySteps(from: former?.value ?? [], to: array, traits.bits)
            try steps.forEach { step in
                switch step {
                case .copy(let range): writer.copy(range)
                case .encode(let index, let former):
                    try writer.append(after: former) {
                        try document.encodeValue(array[index], as: traits)
                    }
                }
            }
            return []
        }
    }

    /// Copies the members of the former dictionary whose names and values have the same bits.
    func writeForm<Key: Encodable, Value: Encodable>(_ dictionary: [Key: Value]) throws {
        try FormWriter.write(dictionary, as: .object, to: document) { writer, former in
            let (keys, values) = (Array(dictionary.keys), Array(dictionary.values))
            let oldKeys = former.map { Array($0.value.keys) } ?? []
            let oldValues = former.map { Array($0.value.values) } ?? []
            let oldOrder = former?.node.source?.order ?? []
            let keyBits = document.traits(of: Key.self).bits
            let traits = document.traits(of: Value.self)
            let isInStep =
                keys.count == oldKeys.count
                && keyBits.equalCount(keys, from: 0, oldKeys, from: 0, limit: keys.count)
                    == keys.count
            var places: [Key: Int] = [:]
            if !isInStep {
                for (place, offset) in oldOrder.enumerated() { places[oldKeys[offset]] = place }
            }
            let order = isInStep ? oldOrder : try JSONOrder.offsets(of: keys)
            for (index, offset) in order.enumerated() {
                let place = isInStep ? index : places[keys[offset]]
                if let place {
                    let old = oldOrder[place]
                    if traits.bits.equalCount(values, from: offset, oldValues, from: old, limit: 1)
                        == 1,
                        isInStep || JSONOrder.haveSameText(oldKeys[old], keys[offset])
                    {
                        writer.copy(place..<place + 1)
                        continue
                    }
                }
                try writer.append(after: place) {
                    document.writer.append(JSONOrder.text(of: keys[offset]))
                    document.writer.bytes.append(UInt8(ascii: ":"))
                    try document.encodeValue(values[offset], as: traits)
                }
            }
            return order
        }
    }
}
