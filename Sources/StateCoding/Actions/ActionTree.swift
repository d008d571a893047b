import Bytes

/// The types of an application's actions: a tree of the segments of their type paths.
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

    /// A case at one place of the tree.
    struct Segment {
        let name: String
        /// The place among the cases of its group.
        let index: Int
        /// The case carries what only the server says.
        let isFact: Bool
        /// The node at which the path goes on; nil where it ends.
        fileprivate(set) var node: Int?
        /// The number of the type that ends here; nil where none does, or none is listed.
        fileprivate(set) var number: Int?
    }

    private let segments: [Segment]
    /// The segments of each node; paths begin at the first node.
    private let nodes: [Range<Int>]
    /// The types of actions and facts, by their numbers.
    let typeNames: [String]
    /// All types that clients may send, sorted. A group inside itself has types without end: they
    /// are not listed, and can be sent all the same.
    let actionTypes: [String]
    /// The types of facts, sorted, in the same way.
    let factTypes: [String]
    /// The type paths that lead to groups, without the last slash.
    private let groupPaths: [ObjectIdentifier: [String]]

    /// Finds the types of a tree whose root is the first of `groups`; throws where labels of a parent
    /// and a leaf are the same, and where clients could send nothing.
    init(_ groups: [Group]) throws(ActionCoderError) {
        precondition(!groups.isEmpty, "A tree has a root.")
        var walk = TreeWalk(groups)
        _ = try walk.visit(TreeWalk.Way(open: [0: 0]))
        if walk.actions.isEmpty, !walk.facts.isEmpty { throw .factsAlone }
        segments = walk.segments
        nodes = walk.nodes
        typeNames = walk.names
        actionTypes = walk.actions.sorted()
        factTypes = walk.facts.sorted()
        groupPaths = walk.groupPaths
    }

    /// The paths that lead to this group of actions, without the last slash.
    func paths(to group: ObjectIdentifier) -> [String] { groupPaths[group] ?? [] }

    /// The kind of action that a type names.
    enum Kind { case action, fact }

    /// The kind of action that a type path leads to; nil if it leads to none.
    func kind(of path: Span<UInt8>) -> Kind? {
        var isFact = false
        var kind: Kind?
        walk(path) { segment, next in
            if segment.isFact { isFact = true }
            if next > path.count, segment.node == nil { kind = isFact ? .fact : .action }
            return next <= path.count
        }
        return kind
    }

    /// The segment at an offset of a type path, whose name is the case's own, byte for byte, and the
    /// offset behind its slash; nil where no case has that name.
    func segment(of path: Span<UInt8>, at start: Int) -> (segment: Segment, next: Int)? {
        var found: (segment: Segment, next: Int)?
        walk(path) { segment, next in
            if next > start { found = (segment, next) }
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
    /// - Parameter visit: is shown a segment and the offset behind its slash.
    @inline(__always)
    private func walk(_ path: Span<UInt8>, _ visit: (Segment, _ next: Int) -> Bool) {
        var node: Int? = 0
        var start = 0
        while let segments = node.map({ nodes[$0] }), let place = find(path, start, in: segments) {
            let segment = self.segments[place]
            start += segment.name.utf8.count + 1
            guard visit(segment, start) else { return }
            node = segment.node
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
}

/// A walk over all type paths of groups, in which a node is made for each path to a group.
private struct TreeWalk {
    private let groups: [ActionTree.Group]
    private(set) var segments: [ActionTree.Segment] = []
    private(set) var nodes: [Range<Int>] = []
    private(set) var actions: [String] = []
    private(set) var facts: [String] = []
    private(set) var groupPaths: [ObjectIdentifier: [String]] = [:]
    /// The types of actions and facts, by their numbers.
    private(set) var names: [String] = []
    /// The nodes of groups behind a group that is inside of itself: no types are listed there.
    private var endless: [Int: Int] = [:]
    /// The greatest number of types.
    private static let limit = 10_000

    /// The way to the group that is being looked at.
    struct Way {
        fileprivate var group = 0
        fileprivate var prefix = ""
        fileprivate var labels: [String] = []
        fileprivate var isFact = false
        /// The groups on the way, and the number of labels before each.
        var open: [Int: Int] = [:]
    }

    init(_ groups: [ActionTree.Group]) { self.groups = groups }

    /// Visits the cases of the group that a way leads to; answers with its node.
    mutating func visit(_ way: Way) throws(ActionCoderError) -> Int {
        let node = addNode(of: way.group)
        for (place, found) in zip(nodes[node], groups[way.group].cases) {
            try visit(found, way, place)
        }
        return node
    }

    private mutating func addNode(of group: Int) -> Int {
        let first = segments.count
        segments += groups[group].cases.enumerated().map {
            ActionTree.Segment(name: $1.name, index: $0, isFact: $1.isFact)
        }
        nodes.append(first..<segments.count)
        return nodes.count - 1
    }

    private mutating func visit(
        _ found: ActionTree.Case, _ way: Way, _ place: Int
    ) throws(ActionCoderError) {
        let path = way.prefix + found.name
        guard let group = found.group else {
            let isNamed = found.hasUnlabelled && !way.labels.isEmpty
            try checkLabels(isNamed ? [found.name] : found.labels, way.labels, at: path)
            return try list(path, isFact: way.isFact || found.isFact, place)
        }
        try checkLabels(found.labels, way.labels, at: path)
        var inner = way
        inner.labels += found.labels
        if let count = way.open[group] {
            guard inner.labels.count == count else {
                throw .sharedLabel(inner.labels[count], type: path)
            }
            segments[place].node = endlessNode(of: group)
            return
        }
        groupPaths[groups[group].type, default: []].append(path)
        inner.group = group
        inner.prefix = path + "/"
        inner.isFact = way.isFact || found.isFact
        inner.open[group] = inner.labels.count
        segments[place].node = try visit(inner)
    }

    private mutating func endlessNode(of group: Int) -> Int {
        if let node = endless[group] { return node }
        let node = addNode(of: group)
        endless[group] = node
        for (place, found) in zip(nodes[node], groups[group].cases) {
            segments[place].node = found.group.map { endlessNode(of: $0) }
        }
        return node
    }

    private mutating func list(
        _ path: String, isFact: Bool, _ place: Int
    ) throws(ActionCoderError) {
        guard names.count < Self.limit else { throw .tooManyTypes(limit: Self.limit) }
        if isFact { facts.append(path) } else { actions.append(path) }
        segments[place].number = names.count
        names.append(path)
    }

    private func checkLabels(
        _ labels: [String], _ others: [String], at path: String
    ) throws(ActionCoderError) {
        for label in labels where others.contains(label) {
            throw .sharedLabel(label, type: path)
        }
    }
}
