import Bytes
import Redux

/// The types of an application's actions: a tree of the segments of their type paths.
@usableFromInline
final class ActionTree: Sendable {
    /// A case at one place of the tree.
    struct Segment {
        let name: String
        /// The place among the cases of its group; −1 where that is not known.
        var index = -1
        /// The case carries what only the server says.
        var isFact = false
        /// The node at which the path goes on; nil where it ends.
        var node: Int?
        /// The number of the type that ends here; nil where none does, or none is listed.
        var number: Int?

        /// That of a path of which nothing was looked at.
        static let none = Segment(name: "")
    }

    /// A type path, what only the server says of it, and what its actions carry: labelled values of
    /// the cases before, then those of the last one.
    typealias ListedType = (name: String, isFact: Bool, values: [CaseShape.Value])

    let segments: [Segment]
    /// The segments of each node; paths begin at the first node.
    private let nodes: [Range<Int>]
    /// The types of actions and facts, by their numbers.
    let types: [ListedType]
    let typeNames: [String]
    /// A group is inside of itself: there are types that are not listed.
    let isEndless: Bool
    /// All types that clients may send, sorted. A group inside itself has types without end: they
    /// are not listed, and can be sent all the same.
    let actionTypes: [String]
    /// The types of facts, sorted, in the same way.
    let factTypes: [String]
    /// The type paths that lead to each group, without the last slash.
    private let groupPaths: [ObjectIdentifier: [String]]

    /// The types below an enum; throws what its author has to change.
    init<Action: ActionGroup>(of type: Action.Type) throws(ActionCoderError) {
        let explorer = try ActionExplorer(type)
        segments = explorer.segments
        nodes = explorer.nodes
        types = explorer.types
        typeNames = types.map { $0.name }
        isEndless = !explorer.endless.isEmpty
        actionTypes = types.filter { !$0.isFact }.map { $0.name }.sorted()
        factTypes = types.filter { $0.isFact }.map { $0.name }.sorted()
        groupPaths = explorer.places.compactMapValues { explorer.groupPaths[$0] }
    }

    /// The paths that lead to this group of actions, without the last slash.
    func paths(to group: any ActionGroup.Type) -> [String] {
        groupPaths[ObjectIdentifier(group)] ?? []
    }

    /// Whether the action that a type path leads to is a fact; nil if it leads to none.
    func isFact(at path: Span<UInt8>) -> Bool? {
        var (isFact, isWhole) = (false, false)
        walk(path) { place, next in
            if segments[place].isFact { isFact = true }
            isWhole = next > path.count && segments[place].node == nil
            return true
        }
        return isWhole ? isFact : nil
    }

    /// The segment at an offset of a type path, whose name is the case's own, byte for byte, by its
    /// place among all, and the offset behind its slash; nil where no case has that name.
    func segment(of path: Span<UInt8>, at start: Int) -> (place: Int, next: Int)? {
        var found: (place: Int, next: Int)?
        walk(path) { place, next in
            if next > start { found = (place, next) }
            return next <= start
        }
        return found
    }

    /// The segment of this name at a node.
    func segment(_ name: String, at node: Int) -> Segment? {
        segments[nodes[node]].first { $0.name == name }
    }

    /// Walks along a path until `visit` answers false, or no case has the next segment.
    ///
    /// - Parameter visit: is shown a segment's place and the offset behind its slash.
    @inline(__always)
    private func walk(_ path: Span<UInt8>, _ visit: (_ place: Int, _ next: Int) -> Bool) {
        var node: Int? = 0
        var start = 0
        while let present = node, let place = find(path, start, in: nodes[present]) {
            start += segments[place].name.utf8.count + 1
            guard visit(place, start) else { return }
            node = segments[place].node
        }
    }

    /// The segment that stands at an offset: a name has no slash, and one stands behind it, or
    /// nothing.
    @inline(__always)
    private func find(_ path: Span<UInt8>, _ start: Int, in places: Range<Int>) -> Int? {
        for place in places {
            let name = segments[place].name.utf8Span.span
            let end = start + name.count
            guard end == path.count || end < path.count && path[end] == UInt8(ascii: "/") else {
                continue
            }
            if path.extracting(start..<end).elementsEqual(name) { return place }
        }
        return nil
    }

    // MARK: Likeness

    /// The types that clients may send that are spelled most like a word, closest first; none that has
    /// little in common with it.
    func nearest(to word: String) -> [String] {
        guard word.utf8.count <= 128 else { return [] }
        let wanted = Array(word.lowercased().utf8)
        let tolerance = max(3, wanted.count / 3)
        let found = actionTypes.map { type in
            (type: type, distance: Self.distance(wanted, Array(type.lowercased().utf8)))
        }
        return found.filter { $0.distance <= tolerance }
            .sorted { ($0.distance, $0.type) < ($1.distance, $1.type) }.prefix(3).map(\.type)
    }

    /// The number of letters to change, add or leave out to make one word of another (Levenshtein), by
    /// rows.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
