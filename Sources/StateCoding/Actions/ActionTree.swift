/// The types of an application's actions: groups of cases, and the groups inside of them.
@usableFromInline
final class ActionTree: Sendable {
    /// A case of a group.
    struct Case {
        /// A segment of type paths.
        var name: String
        /// The names of labelled values.
        var labels: [String] = []
        /// It has values without labels, besides a group.
        var hasUnlabelled = false
        /// Where the type path goes on: the group that the case carries, among the tree's.
        var group: Int?
        /// It carries what only the server says.
        var isFact = false
    }

    /// An enum of actions.
    struct Group {
        var type: ObjectIdentifier
        var cases: [Case] = []
    }

    private let segments: SegmentTable
    private let numbers: TypeNumbers
    /// The types of actions and facts, by their numbers.
    let typeNames: [String]
    /// All types that clients may send, sorted. A group inside itself has types without end: they
    /// are not listed, and can be sent all the same.
    let actionTypes: [String]
    /// The types of facts, sorted, in the same way.
    let factTypes: [String]
    /// The type paths that lead to groups, without the last slash.
    private let groupPaths: [ObjectIdentifier: [String]]
    /// A fact's path is as long as a bit here says, modulo 64, and ends with a byte of which there
    /// is a bit in `factEnds`: the many paths that do not are not looked for among facts.
    private let factLengths: UInt64
    private let factEnds: UInt64

    /// Finds the types of a tree whose root is the first of `groups`.
    init(_ groups: [Group]) throws(ActionCoderError) {
        precondition(!groups.isEmpty, "A tree has a root.")
        var paths = ActionPaths(groups)
        try paths.walk()
        segments = SegmentTable(groups)
        numbers = paths.numbers
        typeNames = paths.names
        actionTypes = paths.actions.sorted()
        factTypes = paths.facts.sorted()
        groupPaths = paths.groupPaths
        let isOpen = paths.isEndless && groups.contains { $0.cases.contains(where: \.isFact) }
        factLengths = isOpen ? .max : factTypes.reduce(0) { $0 | Self.bit($1.utf8.count) }
        factEnds = isOpen ? .max : factTypes.reduce(0) { $0 | Self.bit(Int($1.utf8.last ?? 0)) }
    }

    private static func bit(_ number: Int) -> UInt64 { 1 << UInt64(number & 63) }

    /// The paths that lead to this group of actions, without the last slash.
    func paths(to group: ObjectIdentifier) -> [String] { groupPaths[group] ?? [] }

    /// The kind of action that a type names.
    enum Kind { case action, fact }

    /// Some fact's type path may be this long; never false where one is.
    @inline(__always)
    func hasFact(ofCount count: Int) -> Bool { factLengths & Self.bit(count) != 0 }

    /// Some fact's type path may end with this byte; never false where one does.
    func hasFact(endingWith end: UInt8) -> Bool { factEnds & Self.bit(Int(end)) != 0 }

    /// The kind of action that a type path leads to; nil if it leads to none.
    func kind(of path: Span<UInt8>) -> Kind? {
        var isFact = false
        var kind: Kind?
        segments.walk(path) { segment, _, next in
            if segment.isFact { isFact = true }
            if next > path.count, !segment.isInside { kind = isFact ? .fact : .action }
            return next <= path.count
        }
        return kind
    }

    /// The name of the case that the segment at an offset of a type path names, byte for byte, its
    /// place among the cases of its group, the offset behind its slash, and the number of the type
    /// that ends with it, −1 where none is listed; nil where no case has that name.
    func segment(
        of path: Span<UInt8>, at start: Int
    ) -> (name: String, index: Int, next: Int, number: Int)? {
        var found: (place: Int, index: Int, next: Int)?
        var way = TypeNumbers.Position.start
        segments.walk(path) { segment, place, next in
            way = numbers.way(behind: segment.index, from: way)
            if next > start { found = (place, segment.index, next) }
            return next <= start
        }
        return found.map { (segments.name(at: $0.place), $0.index, $0.next, way.number ?? -1) }
    }

    /// The way behind a case of this name in a group, and the group that it carries, −1 for none; nil
    /// where the group has no such case.
    func step(
        into name: String, of group: Int, from way: TypeNumbers.Position
    ) -> (way: TypeNumbers.Position, inner: Int)? {
        segments.find(name, in: group).map {
            (numbers.way(behind: $0.index, from: way), $0.inner)
        }
    }
}
