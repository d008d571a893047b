import Redux
import Reflection

/// A case of an enum of actions, with the types of its values.
struct CaseShape {
    typealias Value = (label: String?, type: Any.Type)

    /// The name on the wire, a segment of type paths.
    var name: String
    /// The values' names on the wire, nil for those without a label, and their types.
    var values: [Value] = []
    /// The place of the group that the case carries, at which the type path goes on, among all groups.
    var groupPlace: Int?
    /// The case carries what only the server says.
    var isFact = false

    /// The group that the case carries.
    var group: (any ActionGroup.Type)? {
        values.last { $0.label == nil }?.type as? any ActionGroup.Type
    }

    /// The names of labelled values.
    var labels: [String] { values.compactMap { $0.label } }

    /// Throws if the wire has no form for these values.
    func check(at path: String) throws(ActionCoderError) {
        if values.contains(where: { Self.isOptionalGroup($0.type) }) {
            throw .optionalGroup(type: path)
        }
        let groups = values.indices.filter { values[$0].type is any ActionGroup.Type }
        let unlabelled = values.filter { $0.label == nil }.count
        guard let index = groups.first else {
            guard unlabelled == 0 || unlabelled == values.count else {
                throw .mixedLabels(type: path)
            }
            return
        }
        if groups.count > 1 { throw .severalGroups(type: path) }
        guard index == values.count - 1, values[index].label == nil, unlabelled == 1 else {
            throw .misplacedGroup(type: path)
        }
    }

    private static func isOptionalGroup(_ type: Any.Type) -> Bool {
        guard type is any ExpressibleByNilLiteral.Type,
            let wrapped = (type as? any TypeContents.Type)?.contents.first
        else { return false }
        return wrapped is any ActionGroup.Type || isOptionalGroup(wrapped)
    }

    // MARK: Making

    /// The cases of an enum; `prefix` is the beginning of their type paths.
    static func list<Group: ActionGroup>(
        of type: Group.Type, at prefix: String
    ) throws(ActionCoderError) -> [CaseShape] {
        guard EnumCases.isEnum(type) else { throw .notAnEnum(name: "\(type)") }
        let probe = Probe(type)
        if case .value? = probe.found.first {
            return try rawValues(of: type).map { CaseShape(name: $0) }
        }
        let keys = probe.object?.keys
        guard let cases = EnumCases.list(of: type) else {
            guard let names = keys?.all else { throw .noCaseNames(name: "\(type)") }
            return names.map { CaseShape($0, payload: nil, of: type) }
        }
        var shapes: [CaseShape] = []
        for found in cases {
            guard let name = keys.map({ $0.wireName(of: found.name) }) ?? found.name
            else { throw .notEncodable(type: prefix + found.name) }
            shapes.append(CaseShape(name, payload: found.payload, of: type))
        }
        return shapes
    }

    /// A case as the compiler tells it, with the names that its keys give to labels. The compiler
    /// tells nothing of values that take no bytes, an enum's of one case for example: then the values
    /// are those that its decoding asks for, as far as values can be made up.
    private init<Group: ActionGroup>(_ name: String, payload: Any.Type?, of type: Group.Type) {
        self.name = name
        if let payload, StoredTypes.elements(of: payload) == nil {
            values = [(nil, payload)]
            return
        }
        let asked = Probe(type, Probe.Script(key: name)).values
        let elements = payload.flatMap { StoredTypes.elements(of: $0) }
        values =
            elements?.map { label, type in
                (label.map { asked?.keys.wireName(of: $0) ?? $0 }, type)
            } ?? asked?.types.map { ($0.isUnlabelled ? nil : $0, $1) } ?? []
    }

    private init(name: String) { self.name = name }

    /// The cases of an enum with raw values.
    private static func rawValues<Group: ActionGroup>(
        of type: Group.Type
    ) throws(ActionCoderError) -> [String] {
        let values: [Any]? = KeyNames.values(of: type)
        guard let values else { throw .noCaseNames(name: "\(type)") }
        let names = values.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard names.count == values.count else { throw .notEncodable(type: "\(type)") }
        return names
    }
}

/// The names that a type of coding keys gives to cases or values.
struct KeyNames {
    /// The names on the wire, in the order of the keys; nil where they cannot be counted.
    let all: [String]?
    private let names: [String]?
    private let accepts: (String) -> Bool

    init<Key: CodingKey>(_ type: Key.Type) {
        accepts = { Key(stringValue: $0) != nil }
        if let names = EnumCases.names(of: type), let values = EnumCases.values(of: type) {
            self.names = names
            all = values.map(\.stringValue)
        } else {
            names = nil
            all = Self.values(of: type)?.map(\.stringValue)
        }
    }

    /// The values of an enum without associated values, as the type or the compiler lists them.
    static func values<Enum>(of type: Enum.Type) -> [Enum]? {
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }
        guard let iterable = type as? any CaseIterable.Type else {
            return EnumCases.values(of: type)
        }
        return all(iterable) as? [Enum]
    }

    /// The name on the wire of a case or value by its name in Swift; nil if it has no key.
    ///
    /// The key has the same name in Swift, or synthesis would refuse it; its text is the author's
    /// to choose: `case edited = "changed"`. So each key is made by its number, and asked.
    func wireName(of name: String) -> String? {
        guard let names, let all else { return accepts(name) ? name : nil }
        return names.firstIndex(of: name).map { all[$0] }
    }
}
