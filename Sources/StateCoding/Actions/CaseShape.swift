import Redux
import Reflection

/// A case of an enum of actions, with the types of its values.
struct CaseShape {
    struct Value {
        /// The name on the wire; nil for a value without a label.
        var label: String?
        var type: Any.Type
    }

    /// The name on the wire.
    var name: String
    var values: [Value] = []

    /// The group that the case carries.
    var group: (any ActionGroup.Type)? {
        values.last { $0.label == nil }?.type as? any ActionGroup.Type
    }

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
        guard let optional = type as? any OptionalType.Type else { return false }
        return optional.wrapped is any ActionGroup.Type || isOptionalGroup(optional.wrapped)
    }
}

extension CaseShape {
    /// The cases of an enum; `prefix` is the beginning of their type paths.
    static func list<Group: ActionGroup>(
        of type: Group.Type, at prefix: String
    ) throws(ActionCoderError) -> [CaseShape] {
        guard EnumCases.isEnum(type) else { throw .notAnEnum(name: "\(type)") }
        let notes = ProbeNotes()
        _ = try? Group(from: ProbeDecoder(notes: notes, question: .cases))
        if notes.isRaw { return try rawValues(of: type).map { CaseShape(name: $0) } }
        guard let cases = EnumCases.list(of: type) else {
            guard let names = notes.caseKeys?.all else { throw .noCaseNames(name: "\(type)") }
            return names.map { probe($0, of: type) }
        }
        var shapes: [CaseShape] = []
        for found in cases {
            let keys = notes.caseKeys
            guard let name = keys == nil ? found.name : keys?.wireName(of: found.name) else {
                throw .notEncodable(type: prefix + found.name)
            }
            shapes.append(shape(of: found, named: name, of: type))
        }
        return shapes
    }

    /// A case as the compiler tells it, with the names that its keys give to labels. The compiler
    /// tells nothing of values that take no bytes, an enum's of one case for example.
    private static func shape<Group: ActionGroup>(
        of found: EnumCases.Case, named name: String, of type: Group.Type
    ) -> CaseShape {
        guard let payload = found.payload else { return probe(name, of: type) }
        guard let elements = StoredTypes.elements(of: payload) else {
            return CaseShape(name: name, values: [Value(type: payload)])
        }
        let notes = ProbeNotes()
        _ = try? Group(from: ProbeDecoder(notes: notes, question: .values(ofCase: name)))
        let values = elements.map { element in
            Value(
                label: element.label.map { notes.valueKeys?.wireName(of: $0) ?? $0 },
                type: element.type)
        }
        return CaseShape(name: name, values: values)
    }

    /// A case as its decoding shows it, as far as values can be made up: where the compiler tells
    /// nothing.
    private static func probe<Group: ActionGroup>(
        _ name: String, of type: Group.Type
    ) -> CaseShape {
        let notes = ProbeNotes()
        _ = try? Group(from: ProbeDecoder(notes: notes, question: .values(ofCase: name)))
        let values = notes.values.map { key, type in
            Value(label: key.isUnlabelled ? nil : key, type: type)
        }
        return CaseShape(name: name, values: values)
    }

    /// The cases of an enum with raw values.
    private static func rawValues<Group: ActionGroup>(
        of type: Group.Type
    ) throws(ActionCoderError) -> [String] {
        let values: [Any]? =
            if let iterable = type as? any CaseIterable.Type {
                all(iterable)
            } else {
                EnumCases.values(of: type)
            }
        guard let values else { throw .noCaseNames(name: "\(type)") }
        let names = values.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard names.count == values.count else { throw .notEncodable(type: "\(type)") }
        return names
    }

    private static func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] {
        Array(type.allCases)
    }
}

/// An optional of any type.
private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}
