import Redux
import Reflection

/// Looks through the enums of an application's actions, once at start: what the compiler tells of
/// their cases, and which keys they are coded with.
struct ActionExplorer {
    private var groups: [ActionTree.Group] = []
    private var places: [ObjectIdentifier: Int] = [:]
    private var facts = FactSearch()
    /// The number of groups inside each other that are being looked through.
    private var depth = 0

    /// The tree below an enum; throws what its author has to change.
    static func tree<Action: ActionGroup>(
        of type: Action.Type
    ) throws(ActionCoderError) -> ActionTree {
        var explorer = ActionExplorer()
        _ = try explorer.explore(type, at: "")
        return try ActionTree(explorer.groups)
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
        groups.append(ActionTree.Group(type: id))
        for shape in try CaseShape.list(of: type, at: prefix) {
            groups[place].cases.append(try explore(shape, of: type, at: prefix))
        }
        return place
    }

    private mutating func explore<Group: ActionGroup>(
        _ shape: CaseShape, of type: Group.Type, at prefix: String
    ) throws(ActionCoderError) -> ActionTree.Case {
        let path = prefix + shape.name
        guard !shape.name.isEmpty, !shape.name.utf8.contains(UInt8(ascii: "/")) else {
            throw .unfitName(type: path)
        }
        try shape.check(at: path)
        let values = shape.values.filter { !($0.type is any ActionGroup.Type) || $0.label != nil }
        var result = ActionTree.Case(name: shape.name)
        result.labels = values.compactMap(\.label)
        result.hasUnlabelled = values.contains { $0.label == nil }
        result.isFact = type is any FactGroup.Type
        for value in values where !result.isFact {
            do throws(FactSearch.EndlessTypes) {
                result.isFact = try facts.carriesFact(value.type)
            } catch {
                throw .endlessValues(type: path, limit: FactSearch.typeLimit)
            }
        }
        guard let group = shape.group else { return result }
        if group is any FactGroup.Type {
            result.isFact = true
        } else if type is any FactGroup.Type {
            throw .groupBelowFacts(type: path)
        }
        result.group = try explore(group, at: path + "/")
        return result
    }
}
