/// The numbers of a tree's types, found while one goes along a type path, case by case.
///
/// Each group has, for each path that leads to it, a link for each of its cases: to the links of the
/// group that the case carries, or to the number of the type that ends there.
struct TypeNumbers {
    /// A place on the way along a type path.
    struct Position: Equatable {
        /// The place of a group's links; the complement of a number; or `unlisted`.
        fileprivate var value: Int32

        /// Before the first case.
        static let start = Position(value: 0)
        /// No type is listed there: a group stands inside itself.
        fileprivate static let unlisted = Position(value: .min)

        /// The number of the type that ends here; nil where none does.
        @inline(__always)
        var number: Int? { value < 0 && value != .min ? Int(~value) : nil }
    }

    private var links: [Int32] = []

    /// The way behind a case, by its place in its group.
    @inline(__always)
    func way(behind index: Int, from way: Position) -> Position {
        guard way.value >= 0 else { return .unlisted }
        return Position(value: links[Int(way.value) + index])
    }

    // MARK: Making

    /// Adds the links of a group with so many cases, which lead nowhere yet; answers with the place
    /// of the first.
    mutating func addGroup(caseCount: Int) -> Int {
        defer { links += Array(repeating: Position.unlisted.value, count: caseCount) }
        return links.count
    }

    /// Has a link lead to the type of a number.
    mutating func link(_ place: Int, toType number: Int) { links[place] = ~Int32(number) }

    /// Has a link lead to the links of a group.
    mutating func link(_ place: Int, toGroup first: Int) { links[place] = Int32(first) }
}
