/// A walk over all type paths of a tree of actions.
struct ActionPaths {
    private let groups: [ActionTree.Group]
    private(set) var actions: [String] = []
    private(set) var facts: [String] = []
    private(set) var groupPaths: [ObjectIdentifier: [String]] = [:]
    /// The types of actions and facts, by their numbers.
    private(set) var names: [String] = []
    private(set) var numbers = TypeNumbers()
    /// The greatest number of paths.
    private static let limit = 10_000
    /// A group is inside of itself.
    private(set) var isEndless = false

    /// The way to the case that is being looked at.
    private struct Way {
        var group = 0
        var prefix = ""
        var labels: [String] = []
        var isFact = false
        /// The groups on the way, and the number of labels before each.
        var open: [Int: Int] = [:]
    }

    init(_ groups: [ActionTree.Group]) { self.groups = groups }

    /// Notes the paths; throws where labels of a parent and a leaf are the same, and where clients
    /// could send nothing.
    mutating func walk() throws(ActionCoderError) {
        _ = try walk(Way(open: [0: 0]))
        if actions.isEmpty, !facts.isEmpty { throw .factsAlone }
    }

    /// Goes on in the group that a way leads to; answers with the place of its links.
    private mutating func walk(_ way: Way) throws(ActionCoderError) -> Int {
        let cases = groups[way.group].cases
        let first = numbers.addGroup(caseCount: cases.count)
        for (index, found) in cases.enumerated() { try visit(found, way, link: first + index) }
        return first
    }

    private mutating func visit(
        _ found: ActionTree.Case, _ way: Way, link: Int
    ) throws(ActionCoderError) {
        let path = way.prefix + found.name
        guard let group = found.group else {
            let isNamed = found.hasUnlabelled && !way.labels.isEmpty
            try checkLabels(isNamed ? [found.name] : found.labels, way.labels, at: path)
            return try note(path, isFact: way.isFact || found.isFact, link: link)
        }
        try checkLabels(found.labels, way.labels, at: path)
        var inner = way
        inner.labels += found.labels
        if let count = way.open[group] {
            isEndless = true
            guard inner.labels.count == count else {
                throw .sharedLabel(inner.labels[count], type: path)
            }
            return
        }
        groupPaths[groups[group].type, default: []].append(path)
        inner.group = group
        inner.prefix = path + "/"
        inner.isFact = way.isFact || found.isFact
        inner.open[group] = inner.labels.count
        numbers.link(link, toGroup: try walk(inner))
    }

    private mutating func note(
        _ path: String, isFact: Bool, link: Int
    ) throws(ActionCoderError) {
        guard actions.count + facts.count < Self.limit else {
            throw .tooManyTypes(limit: Self.limit)
        }
        if isFact { facts.append(path) } else { actions.append(path) }
        numbers.link(link, toType: names.count)
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
