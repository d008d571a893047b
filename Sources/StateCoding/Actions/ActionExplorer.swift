import Redux
import Reflection

/// Looks through the enums of an application's actions, once at start: what the compiler tells of
/// their cases, and which keys they are coded with. Then walks over all type paths of groups, and
/// makes a node for each path to a group.
struct ActionExplorer {
    /// The cases of each group.
    private var groups: [[CaseShape]] = []
    /// The groups by their types.
    private(set) var places: [ObjectIdentifier: Int] = [:]
    private var facts = FactSearch()
    /// The number of groups inside each other that are being looked through.
    private var depth = 0

    private(set) var segments: [ActionTree.Segment] = []
    private(set) var nodes: [Range<Int>] = []
    /// The type paths that lead to each group, without the last slash.
    private(set) var groupPaths: [Int: [String]] = [:]
    /// The types of actions and facts, by their numbers.
    private(set) var types: [ActionTree.ListedType] = []
    /// The nodes of groups behind a group that is inside of itself: no types are listed there.
    private(set) var endless: [Int: Int] = [:]
    /// The greatest number of types.
    private static let limit = 10_000

    /// Explores all below an enum; throws what its author has to change.
    init<Action: ActionGroup>(_ type: Action.Type) throws(ActionCoderError) {
        _ = try explore(type, at: "")
        _ = try visit(Way(open: [0: 0]))
    }

    /// The place of this group, which is looked through where it is met first.
    private mutating func explore<Group: ActionGroup>(
        _ type: Group.Type, at prefix: String
    ) throws(ActionCoderError) -> Int {
        let id = ObjectIdentifier(type)
        if let place = places[id] { return place }
        guard depth < 64 else { throw .endlessGroups(type: prefix) }
        depth += 1
        defer { depth -= 1 }
        let place = groups.count
        places[id] = place
        groups.append([])
        for shape in try CaseShape.list(of: type, at: prefix) {
            groups[place].append(try explored(shape, of: type, at: prefix))
        }
        return place
    }

    private mutating func explored<Group: ActionGroup>(
        _ shape: CaseShape, of type: Group.Type, at prefix: String
    ) throws(ActionCoderError) -> CaseShape {
        let path = prefix + shape.name
        guard !shape.name.isEmpty, !shape.name.utf8.contains(UInt8(ascii: "/")) else {
            throw .unfitName(type: path)
        }
        try shape.check(at: path)
        var result = shape
        let group = shape.group
        if group != nil { result.values.removeLast() }
        result.isFact = type is any FactGroup.Type
        for value in result.values where !result.isFact {
            guard let isFact = facts.carriesFact(value.type) else {
                throw .endlessValues(type: path, limit: FactSearch.typeLimit)
            }
            result.isFact = isFact
        }
        guard let group else { return result }
        if group is any FactGroup.Type {
            result.isFact = true
        } else if type is any FactGroup.Type {
            throw .groupBelowFacts(type: path)
        }
        result.groupPlace = try explore(group, at: path + "/")
        return result
    }

    // MARK: Type paths

    /// The way to the group that is being looked at.
    private struct Way {
        var group = 0
        var prefix = ""
        var values: [CaseShape.Value] = []
        var labels: [String] { values.compactMap { $0.label } }
        var isFact = false
        /// The groups on the way, and the number of labels before each.
        var open: [Int: Int]
    }

    /// Visits the cases of the group that a way leads to; answers with its node.
    private mutating func visit(_ way: Way) throws(ActionCoderError) -> Int {
        let node = addNode(of: way.group)
        for (place, found) in zip(nodes[node], groups[way.group]) {
            try visit(found, way, place)
        }
        return node
    }

    private mutating func addNode(of group: Int) -> Int {
        let first = segments.count
        segments += groups[group].enumerated().map {
            ActionTree.Segment(name: $1.name, index: $0, isFact: $1.isFact)
        }
        nodes.append(first..<segments.count)
        return nodes.count - 1
    }

    private mutating func visit(
        _ found: CaseShape, _ way: Way, _ place: Int
    ) throws(ActionCoderError) {
        let path = way.prefix + found.name
        guard let group = found.groupPlace else {
            let isNamed = found.labels.count < found.values.count && !way.labels.isEmpty
            try checkLabels(isNamed ? [found.name] : found.labels, way.labels, at: path)
            let isFact = way.isFact || found.isFact
            return try list((path, isFact, way.values + found.values), place)
        }
        try checkLabels(found.labels, way.labels, at: path)
        var inner = way
        inner.values += found.values
        if let count = way.open[group] {
            guard inner.labels.count == count else {
                throw .sharedLabel(inner.labels[count], type: path)
            }
            segments[place].node = endlessNode(of: group)
            return
        }
        groupPaths[group, default: []].append(path)
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
        for (place, found) in zip(nodes[node], groups[group]) {
            segments[place].node = found.groupPlace.map { endlessNode(of: $0) }
        }
        return node
    }

    private mutating func list(
        _ type: ActionTree.ListedType, _ place: Int
    ) throws(ActionCoderError) {
        guard types.count < Self.limit else { throw .tooManyTypes(limit: Self.limit) }
        segments[place].number = types.count
        types.append(type)
    }

    private func checkLabels(
        _ labels: [String], _ others: [String], at path: String
    ) throws(ActionCoderError) {
        for label in labels where others.contains(label) {
            throw .sharedLabel(label, type: path)
        }
    }
}
