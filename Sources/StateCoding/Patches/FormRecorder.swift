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
