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
    /// Where elements have come or gone, the former ones around a place are looked through so far.
    private static let lookahead = 8

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
        _ body: (inout FormWriter) throws -> [Int]
    ) throws {
        if document.isInterleaved { throw document.interleaved() }
        let expected = document.expected
        var source = FormNode.Source(
            type: ObjectIdentifier(Value.self), storage: EqualBits.storage(of: value),
            nesting: document.nesting, valueDepth: document.valueDepth)
        let former = document.takeFormer(like: source)
        if let former, former.source?.storage == source.storage { return document.keep(former) }
        if let known = document.common?.find(source) { return document.keep(known) }
        let start = document.written
        var pieces: [FormText]?
        do {
            try document.encodeContainer(kind) {
                var writer = FormWriter(document, after: former)
                source.order = try body(&writer)
                pieces = writer.finish()
            }
        } catch {
            // The value around may go on nevertheless, with what was written up to here.
            document.isInterleaved = true
            throw error
        }
        // The former value of one that is too short stands for another.
        guard let pieces else { return document.expected = expected }
        _ = document.takeBytes(from: start)
        let node = FormNode(
            isObject: kind == .object, pieces: pieces, source: source, value: value)
        document.keep(node)
        if document.isSound { document.common?.note(source) { node } }
    }

    /// The former value of the collection.
    private func formerValue<Value>(_ type: Value.Type) -> Value? {
        former?.value as? Value
    }

    /// Writes elements, but copies those that have the bits of former ones.
    ///
    /// Decides about work alone: elements that are encoded although they are what they were come to
    /// the same text.
    mutating func append<Element>(
        _ elements: [Element], _ bits: EqualBits, _ encode: (Element) throws -> Void
    ) throws {
        let olds = formerValue([Element].self) ?? []
        func equalCount(_ old: Int, _ new: Int, limit: Int) -> Int {
            bits.equalCount(olds, from: old, elements, from: new, limit: limit)
        }
        let shorter = min(olds.count, elements.count)
        let head = equalCount(0, 0, limit: shorter)
        let tail = bits.equalTailCount(olds, elements, limit: shorter - head)
        let (oldEnd, end) = (olds.count - tail, elements.count - tail)
        copy(0..<head)
        var (old, index, leastOld) = (head, head, head)
        /// The number of times that a former element was looked for in vain: then less often.
        var vainCount = 0
        /// The former element that the present one is, near the place where it would stand.
        func find() -> Int? {
            if old + 1 < oldEnd, index + 1 < end, equalCount(old + 1, index + 1, limit: 1) == 1 {
                return nil
            }
            vainCount += 1
            guard vainCount < 8 || vainCount % 16 == 0 else { return nil }
            for step in 1...Self.lookahead {
                for place in [old + step, old - step] where place >= leastOld && place < oldEnd {
                    if equalCount(place, index, limit: 1) == 1 {
                        vainCount = 0
                        return place
                    }
                }
            }
            return nil
        }
        while index < end {
            let count = equalCount(old, index, limit: min(oldEnd - old, end - index))
            if count > 0 {
                copy(old..<old + count)
                (old, index) = (old + count, index + count)
                leastOld = old
            } else if let place = find() {
                old = place
            } else {
                try append(after: old < oldEnd ? old : nil) { try encode(elements[index]) }
                (old, index) = (min(old + 1, oldEnd), index + 1)
            }
        }
        copy(oldEnd..<olds.count)
    }

    /// Writes members, but copies those whose names and values have the bits of former ones; answers
    /// with their order.
    mutating func append<Key, Value>(
        _ dictionary: [Key: Value], _ keyBits: EqualBits, _ bits: EqualBits,
        _ encode: (Key, Value) throws -> Void
    ) throws -> [Int] {
        let (keys, values) = (Array(dictionary.keys), Array(dictionary.values))
        let olds = formerValue([Key: Value].self) ?? [:]
        let (oldKeys, oldValues) = (Array(olds.keys), Array(olds.values))
        let oldOrder = former?.source?.order ?? []
        let isInStep =
            keys.count == oldKeys.count
            && keyBits.equalCount(keys, from: 0, oldKeys, from: 0, limit: keys.count) == keys.count
        var places: [Key: Int] = [:]
        if !isInStep {
            for (place, offset) in oldOrder.enumerated() { places[oldKeys[offset]] = place }
        }
        guard let order = isInStep ? oldOrder : JSONOrder.offsets(of: keys) else {
            throw document.interleaved()
        }
        for (index, offset) in order.enumerated() {
            let place = isInStep ? index : places[keys[offset]]
            // Keys that Swift takes for equal may be other bytes.
            if let place, case let old = oldOrder[place],
                bits.equalCount(values, from: offset, oldValues, from: old, limit: 1) == 1,
                isInStep
                    || JSONOrder.text(of: oldKeys[old]).utf8
                        .elementsEqual(JSONOrder.text(of: keys[offset]).utf8)
            {
                copy(place..<place + 1)
            } else {
                try append(after: place) { try encode(keys[offset], values[offset]) }
            }
        }
        return order
    }

    /// Writes one element or member, whose former value is the one at a place.
    mutating func append(after element: Int?, _ encode: () throws -> Void) throws {
        if document.isInterleaved { throw document.interleaved() }
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

    // MARK: Pieces

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

    /// Copies elements of the former value, in runs as long as they are: their pieces, where these
    /// are copied whole.
    private mutating func copy(_ elements: Range<Int>) {
        if elements.lowerBound == copied.upperBound, !copied.isEmpty {
            copied = copied.lowerBound..<elements.upperBound
        } else if !elements.isEmpty {
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
            ends.append(piece.end(of: element) + shift)
            holeEnds.append(piece.holeEnd(of: element) + holeShift)
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
        let holes = Array(document.holes[firstHole...])
        document.holes.removeLast(holes.count)
        pieces.append(
            FormText(
                bytes: document.takeBytes(from: start), holes: holes, ends: ends,
                holeEnds: holeEnds))
        ends.removeAll(keepingCapacity: true)
        holeEnds.removeAll(keepingCapacity: true)
    }
}

extension DocumentEncoder {
    /// Keeps a collection or a secret, for which a placeholder is written.
    func keep(_ hole: FormNode) {
        writer.bytes.append(FormText.placeholder)
        holes.append(hole)
    }

    /// The former value of a collection: one of the same type and depth, with the same storage if
    /// one of the next has it. It is not looked for again.
    fileprivate func takeFormer(like source: FormNode.Source) -> FormNode? {
        guard let expected else { return nil }
        var found: Int?
        // So many collections are looked through for one that has not changed.
        for index in expected.indices.prefix(8) {
            guard let known = expected[index].source, known.type == source.type,
                known.nesting == source.nesting, known.valueDepth == source.valueDepth
            else { continue }
            if known.storage == source.storage {
                found = index
                break
            }
            found = found ?? index
        }
        guard let found else { return nil }
        self.expected = expected[(found + 1)...]
        return expected[found]
    }
}
