/// Walks through two collections in step, and passes over the pieces that both share.
struct ElementWalk {
    private let old: FormNode
    private let new: FormNode
    private var here: ElementPlace
    private var there: ElementPlace

    /// Begins at an element of each.
    init(_ old: FormNode, at oldStart: Int = 0, _ new: FormNode, at newStart: Int = 0) {
        self.old = old
        self.new = new
        here = Self.place(oldStart, in: old)
        there = Self.place(newStart, in: new)
    }

    private static func place(_ element: Int, in node: FormNode) -> ElementPlace {
        guard element < node.count else { return ElementPlace(piece: node.pieces.count, offset: 0) }
        return node.locate(element)
    }

    /// The number of elements from here on that are equal in both; stops at the first that is not.
    mutating func skipEqual(limit: Int) -> Int {
        var count = 0
        while count < limit {
            let (one, other) = (old.pieces[here.piece], new.pieces[there.piece])
            if one === other, here.offset == there.offset {
                let rest = one.count - here.offset
                advance(by: rest)
                count += rest
            } else {
                guard one.isEqual(at: here.offset, to: other, at: there.offset) else { break }
                advance(by: 1)
                count += 1
            }
        }
        return min(count, limit)
    }

    /// The same without moving.
    func equalCount(limit: Int) -> Int {
        var walk = self
        return walk.skipEqual(limit: limit)
    }

    /// Passes over one element of each.
    mutating func skipOne() { advance(by: 1) }

    /// The number of elements at the ends of both that are equal, at most so many.
    static func equalTail(_ old: FormNode, _ new: FormNode, limit: Int) -> Int {
        var count = 0
        var (here, there) = (end(of: old), end(of: new))
        while count < limit {
            let (one, other) = (old.pieces[here.piece], new.pieces[there.piece])
            if one === other, here.offset == there.offset {
                count += here.offset + 1
                here.offset = -1
                there.offset = -1
            } else {
                guard one.isEqual(at: here.offset, to: other, at: there.offset) else { break }
                count += 1
                here.offset -= 1
                there.offset -= 1
            }
            retreat(&here, in: old)
            retreat(&there, in: new)
        }
        return min(count, limit)
    }

    private static func end(of node: FormNode) -> ElementPlace {
        let last = node.pieces.count - 1
        return ElementPlace(piece: last, offset: last < 0 ? -1 : node.pieces[last].count - 1)
    }

    /// Goes on to the last element of the piece before, once a piece has no more.
    private static func retreat(_ place: inout ElementPlace, in node: FormNode) {
        guard place.offset < 0, place.piece > 0 else { return }
        place.piece -= 1
        place.offset = node.pieces[place.piece].count - 1
    }

    private mutating func advance(by count: Int) {
        Self.advance(&here, by: count, in: old)
        Self.advance(&there, by: count, in: new)
    }

    private static func advance(_ place: inout ElementPlace, by count: Int, in node: FormNode) {
        place.offset += count
        precondition(
            place.offset <= node.pieces[place.piece].count, "A walk passes no piece's end.")
        guard place.offset == node.pieces[place.piece].count else { return }
        place.piece += 1
        place.offset = 0
    }
}
